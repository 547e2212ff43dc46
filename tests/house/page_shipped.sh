#!/bin/sh
# page_shipped.sh NODE REPORT PAGE - the page that the tree ships is byte for byte what REPORT makes now; and its twin: a
# changed page is noticed.
set -eu
node=$1 report=$2 page=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$node" "$report/build.mjs" "$work/page.html"
cmp "$work/page.html" "$page" || { echo "page_shipped: $page is not what $report makes: run make page, and commit the file"; exit 1; }
{ cat "$page"; echo; } >"$work/changed"
! cmp -s "$work/page.html" "$work/changed" || { echo 'page_shipped: the comparison cannot fail'; exit 1; }
