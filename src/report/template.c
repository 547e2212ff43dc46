/* template.c - puts report/page.html into the library: the assembler reads the file CKAM_REPORT_PAGE. */
#include "report/template.h"

__asm__(".pushsection .rodata\n"
        ".global template_page\n"
        ".hidden template_page\n"
        ".global template_length\n"
        ".hidden template_length\n"
        "template_page:\n"
        ".incbin \"" CKAM_REPORT_PAGE "\"\n"
        "template_end:\n"
        ".byte 0\n"
        ".balign 8\n"
        "template_length:\n"
        ".quad template_end - template_page\n"
        ".popsection\n");
