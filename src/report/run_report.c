/* run_report.c - the page and the figures of a run: section 11 of ckam.h. */
#include "base/error.h"
#include "base/file.h"
#include "draws/draws.h"
#include "report/draw.h"
#include "report/run_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* -- What there is ------------------------------------------------------------------------------------------------ */

static void scene_close(run_scene *s) {
    ckam_review_free(s->review);
    ckam_draws_free(s->draws);
    ckam_model_free(s->model);
    json_decref(s->record);
    free(s->columns);
}

/* run.json may be missing. Where it cannot be used, the page says why. */
static void read_record(run_scene *s) {
    char         path[FILE_PATH], *bytes;
    size_t       size;
    json_error_t why;
    struct stat  about;
    if (snprintf(path, sizeof path, "%s/run.json", s->directory) >= (int)sizeof path || stat(path, &about)) return;
    if (file_read_record(NULL, path, &bytes, &size, &s->unread)) return;
    s->record = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &why);
    free(bytes);
    if (s->record && json_is_object(json_object_get(s->record, "config"))) return;
    error_fill(&s->unread, CKAM_ERROR_FORMAT, "%.100s %s%.100s", path,
               s->record ? "has no settings" : "is no JSON: ", s->record ? "" : why.text);
    json_decref(s->record);
    s->record = NULL;
}

/* The built-in model of the run. One of another dimension is not that of the draws. Fails only for want of memory. */
static ckam_status find_model(run_scene *s, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(s->draws);
    const char             *spec = json_string_value(json_object_get(json_object_get(s->record, "config"), "model"));
    ckam_error              why;
    ckam_status             status = spec ? ckam_model_create(&s->model, spec, &why) : CKAM_OK;
    if (status == CKAM_ERROR_MEMORY) return fail_with(error, status, "%s", why.message);
    if (status) s->model = NULL;
    if (!s->model || ckam_model_target(s->model)->dim == shape->columns - shape->first) return CKAM_OK;
    ckam_model_free(s->model);
    s->model = NULL;
    return CKAM_OK;
}

/* The column of a name: of a parameter, or lp__. */
static ckam_status find_column(const run_scene *s, const char *name, size_t *column, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(s->draws);
    const char             *near = NULL;
    for (*column = 0; *column < shape->columns; ++*column) {
        const char *here = ckam_draws_name(s->draws, *column);
        if (!strcmp(here, name) && (*column >= shape->first || !strcmp(here, "lp__"))) return CKAM_OK;
    }
    const char **names = calloc(shape->columns + 1, sizeof *names);
    for (size_t k = shape->first; names && k < shape->columns; k++)
        names[k - shape->first] = ckam_draws_name(s->draws, k);
    if (names) near = ckam_nearest_name(names, sizeof *names, name);
    free(names);
    if (near)
        return fail_with(error, CKAM_ERROR_ARGUMENT, "there is no parameter '%.60s'; did you mean '%.60s'?", name,
                         near);
    return fail_with(error, CKAM_ERROR_ARGUMENT,
                     "there is no parameter '%.60s'; there are %zu, from '%.40s' to '%.40s'", name,
                     shape->columns - shape->first, ckam_draws_name(s->draws, shape->first),
                     ckam_draws_name(s->draws, shape->columns - 1));
}

/* A parameter named twice is shown once. */
static ckam_status choose(run_scene *s, const char *const *parameters, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(s->draws);
    s->selected = parameters != NULL;
    if (shape->columns == shape->first)
        return fail_with(error, CKAM_ERROR_FORMAT, "%.120s has no parameters, only columns that end in __",
                         s->paths[0]);
    s->columns = calloc(shape->columns + 1, sizeof *s->columns);
    if (!s->columns) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for %zu columns", shape->columns);
    for (size_t k = shape->first; k < shape->columns && !parameters; k++) s->columns[s->count++] = k;
    for (; parameters && *parameters; parameters++) {
        size_t      column, i = 0;
        ckam_status status = find_column(s, *parameters, &column, error);
        if (status) return status;
        while (i < s->count && s->columns[i] != column) i++;
        if (i == s->count) s->columns[s->count++] = column;
    }
    if (s->count) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_ARGUMENT, "no parameter was named; name some, or give no list for all");
}

static ckam_status scene_open(run_scene *s, const char *const *paths, size_t count, const char *const *parameters,
                              ckam_error *error) {
    struct stat about;
    *s = (run_scene){.paths = paths, .files = count};
    ckam_status status = ckam_draws_open(&s->draws, paths, count, error);
    if (status) return status;
    if (count == 1 && !stat(paths[0], &about) && S_ISDIR(about.st_mode)) s->directory = paths[0];
    if (s->directory) read_record(s);
    if (s->unread.status == CKAM_ERROR_MEMORY) status = fail_with(error, CKAM_ERROR_MEMORY, "%s", s->unread.message);
    if (!status) status = find_model(s, error);
    if (!status) status = choose(s, parameters, error);
    if (status) scene_close(s);
    return status;
}

/* -- The page ----------------------------------------------------------------------------------------------------- */

/* Whether this file is one of those with the draws. */
static bool is_input(const run_scene *s, const struct stat *about) {
    size_t count = ckam_draws_shape_of(s->draws)->chains;
    for (size_t i = 0; i < count; i++) {
        char        path[FILE_PATH] = "";
        struct stat other;
        if (s->directory) draws_path(s->directory, i, false, sizeof path, path);
        if (!stat(s->directory ? path : s->paths[i], &other) && other.st_dev == about->st_dev &&
            other.st_ino == about->st_ino)
            return true;
    }
    return false;
}

/* Whether a file can be made there, to be asked before long work. */
static ckam_status try_place(const run_scene *s, const char *path, ckam_error *error) {
    file_aside  a;
    struct stat about;
    if (!path) return fail_with(error, CKAM_ERROR_ARGUMENT, "the path of the file to write is NULL");
    bool there = !stat(path, &about);
    if (there && S_ISDIR(about.st_mode))
        return fail_with(error, CKAM_ERROR_OUTPUT, "%.120s is a directory; name a file", path);
    if (there && is_input(s, &about))
        return fail_with(error, CKAM_ERROR_ARGUMENT, "%.120s holds draws that are to be shown; name another file",
                         path);
    ckam_status status = file_begin(&a, NULL, path, error);
    if (!status) file_abandon(&a);
    return status;
}

/* Only .html and .htm: a slip in the file names must not overwrite draws. */
static ckam_status check_ending(const char *path, ckam_error *error) {
    const char *dot = strrchr(path, '.');
    if (dot && (!strcasecmp(dot, ".html") || !strcasecmp(dot, ".htm"))) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_ARGUMENT, "'%.120s' is to be a page: its ending must be .html or .htm", path);
}

ckam_status ckam_report_write(const char *const *paths, size_t count, const char *const *parameters, const char *out,
                              ckam_error *error) {
    run_scene   scene;
    document    d;
    ckam_status status = scene_open(&scene, paths, count, parameters, error);
    if (status) return status;
    status = try_place(&scene, out, error);
    if (!status) status = check_ending(out, error);
    if (!status) status = ckam_review_create(&scene.review, scene.draws, error);
    if (!status) {
        status = page_fill(&scene, &d, error);
        if (status)
            document_free(&d);
        else
            status = document_write(&d, out, error);
    }
    scene_close(&scene);
    return status;
}

/* -- One figure --------------------------------------------------------------------------------------------------- */

enum { POINTS = 1000, FIGURE_MOST = 24, FIGURE_DEFAULT = 6 };

static ckam_status find_kind(const char *name, const figure_kind **kind, ckam_error *error) {
    const char *near = name ? ckam_nearest_name(figure_kinds, sizeof *figure_kinds, name) : NULL;
    char        all[128] = "";
    if (!name) return fail_with(error, CKAM_ERROR_ARGUMENT, "the kind of the figure is NULL");
    for (*kind = figure_kinds; (*kind)->name; ++*kind) {
        size_t used = strlen(all);
        if (!strcmp((*kind)->name, name)) return CKAM_OK;
        snprintf(all + used, sizeof all - used, "%s%s", used ? ", " : "", (*kind)->name);
    }
    if (near) return fail_with(error, CKAM_ERROR_ARGUMENT, "there is no kind '%.40s'; did you mean '%s'?", name, near);
    return fail_with(error, CKAM_ERROR_ARGUMENT, "there is no kind '%.40s'; there are %s", name, all);
}

/* Steps and modes are those of the sampler. */
static bool shows_parameters(const figure_kind *kind) { return kind->make != run_steps && kind->make != run_modes; }

/* Limits the parameters to those that a figure has room for; refuses more where the user named them. */
static ckam_status limit(run_scene *s, const figure_kind *kind, ckam_error *error) {
    size_t most = kind->by_parameter ? FIGURE_MOST : PAIR_MOST, some = kind->by_parameter ? FIGURE_DEFAULT : PAIR_MOST;
    if (!s->selected) {
        if (s->count > some) s->count = some;
        return CKAM_OK;
    }
    if (!shows_parameters(kind))
        return fail_with(error, CKAM_ERROR_ARGUMENT, "the %s are not those of a parameter; name none", kind->name);
    if (s->count <= most) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_ARGUMENT, "%zu parameters are too many for one figure; name %zu at most",
                     s->count, most);
}

/* Joins the panels of several figures into one; their titles name the parameters. */
static figure *join(size_t count, figure **figures) {
    const figure *first = figures[0];
    size_t        panels = 0, next = 0;
    for (size_t i = 0; i < count; i++) panels += figures[i]->panels;
    figure *f = figure_create(first->name, first->title, first->caption, panels);
    if (!f) return NULL;
    f->small = first->small || count > 2;
    f->across = first->panels > 1 ? first->across : count < 3 ? 1 : count < 7 ? 2 : 3;
    for (size_t i = 0; i < count; i++)
        for (panel *p = figures[i]->panel; p < figures[i]->panel + figures[i]->panels; p++) {
            panel       here = f->panel[next];
            text_buffer title = {0};
            text_format(&title, "%s%s%s", figures[i]->parameter, *p->title ? ", " : "", p->title);
            f->panel[next] = *p;
            *p = here; /* freed with the old figure */
            figure_text(f, &f->panel[next++].title, title.bytes);
            if (title.failed) f->failed = true;
            text_free(&title);
        }
    return f;
}

/* Makes a figure per parameter, then joins them. */
static ckam_status make_each(const run_scene *s, const run_facts *facts, const figure_kind *kind, figure **out,
                             ckam_error *error) {
    figure     *made[FIGURE_MOST] = {NULL};
    ckam_status status = CKAM_OK;
    for (size_t i = 0; i < s->count && !status; i++)
        status = kind->make(facts, kind, 1, s->columns + i, POINTS, made + i, error);
    if (!status) *out = join(s->count, made);
    for (size_t i = 0; i < s->count; i++) figure_free(made[i]);
    if (status || (*out && !(*out)->failed)) return status;
    figure_free(*out);
    *out = NULL;
    return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a figure");
}

static ckam_status make_figure(const run_scene *s, const figure_kind *kind, figure **out, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(s->draws);
    run_facts               facts = {.draws = s->draws, .model = s->model, .directory = s->directory};
    ckam_status             status = kind->by_parameter && s->count > 1
                                         ? make_each(s, &facts, kind, out, error)
                                         : kind->make(&facts, kind, s->count, s->columns, POINTS, out, error);
    if (!status && shows_parameters(kind) && !s->selected && s->count < shape->columns - shape->first)
        caption_add(*out, "The first %zu of %zu parameters.", s->count, shape->columns - shape->first);
    return status;
}

ckam_status ckam_plot_write(const char *const *paths, size_t count, const char *kind, const char *const *parameters,
                            const char *out, ckam_error *error) {
    const figure_kind *found;
    run_scene          scene;
    figure            *f = NULL;
    ckam_status        status = find_kind(kind, &found, error);
    if (status) return status;
    status = scene_open(&scene, paths, count, parameters, error);
    if (status) return status;
    status = out ? draw_check(out, error) : CKAM_OK;
    if (!status) status = try_place(&scene, out, error);
    if (!status) status = limit(&scene, found, error);
    if (!status) status = make_figure(&scene, found, &f, error);
    if (!status) status = draw_figure(f, out, error);
    figure_free(f);
    scene_close(&scene);
    return status;
}
