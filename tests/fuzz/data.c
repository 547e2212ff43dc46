/* data.c - the JSON file of --data: a key that can be had has the numbers that jansson sees there. */
#include "target/data.h"
#include "fuzz.h"

#include <jansson.h>

/* All numbers below a value in order, and true and false. False: there is something else, or it is too deep. */
static bool sum_up(const json_t *value, int depth, const double *numbers, size_t *count) {
    if (json_is_number(value) || json_is_boolean(value)) {
        double number = json_is_boolean(value) ? json_is_true(value) : json_number_value(value);
        if (numbers) DEMAND(same_number(numbers[*count], number));
        ++*count;
        return true;
    }
    if (!json_is_array(value) || depth == 16) return false;
    for (size_t i = 0; i < json_array_size(value); i++)
        if (!sum_up(json_array_get(value, i), depth + 1, numbers, count)) return false;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    ckam_data  *data;
    ckam_error  error = {.message = ""};
    char       *text = text_of(bytes, size);
    ckam_status status = data_create(&data, text, &error);
    json_t     *object = json_loads(text, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL), *value;
    const char *key;
    DEMAND(!status == json_is_object(object));
    if (status) demand_error(status, &error);
    if (!status) json_object_foreach(object, key, value) {
            size_t        count, expected = 0;
            const double *numbers = data->numbers(data, key, &count);
            bool          has = sum_up(value, 0, NULL, &expected);
            DEMAND(has == (numbers != NULL));
            DEMAND(count == (has ? expected : 0));
            expected = 0;
            if (has) sum_up(value, 0, numbers, &expected);
        }
    json_decref(object);
    data_free(data);
    free(text);
    return 0;
}
