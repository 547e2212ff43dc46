# The imported target ckam::jansson, for the build and for find_package(ckam): by a search, so that no installed file names a place of
# the machine that built it.
find_path(JANSSON_INCLUDE_DIR jansson.h)
find_library(JANSSON_LIBRARY jansson)
if(JANSSON_INCLUDE_DIR AND JANSSON_LIBRARY AND NOT TARGET ckam::jansson)
    add_library(ckam::jansson UNKNOWN IMPORTED)
    set_target_properties(ckam::jansson PROPERTIES
        IMPORTED_LOCATION "${JANSSON_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${JANSSON_INCLUDE_DIR}")
endif()
