# What ckam needs beside libc and libm: POSIX threads, Random123 (headers only) and jansson: RANDOM123_INCLUDE_DIR,
# JANSSON_INCLUDE_DIR, ckam::jansson; without them it stops and names Debian's package. What it can do without has an option, AUTO (if found), ON
# (required) or OFF, and a result, CKAM_..._FOUND:
#   CKAM_NETCDF  draws.nc; the headers now, the library when it is wanted. Sets NETCDF_INCLUDE_DIR and NETCDF_FILE, its soname
#   CKAM_CAIRO   figures as PDF, SVG and PNG; the same, CAIRO_...
#   CKAM_MPI     the program ckam-mpi and its library
#   CKAM_NODE    remaking and testing the page of a report. Sets NODE_PROGRAM
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

find_path(RANDOM123_INCLUDE_DIR Random123/threefry.h)
if(NOT RANDOM123_INCLUDE_DIR)
    message(FATAL_ERROR "The Random123 headers were not found. Debian's package is librandom123-dev.")
endif()

include(cmake/ckam-jansson.cmake)
if(NOT TARGET ckam::jansson)
    message(FATAL_ERROR "jansson was not found. Debian's package is libjansson-dev.")
endif()

# feature(NAME "what it is for"): the option CKAM_NAME.
function(feature name help)
    set(CKAM_${name} AUTO CACHE STRING "${help}: AUTO (if found), ON (required) or OFF")
    set_property(CACHE CKAM_${name} PROPERTY STRINGS AUTO ON OFF)
    if(NOT CKAM_${name} MATCHES "^(AUTO|ON|OFF)$")
        message(FATAL_ERROR "CKAM_${name} is '${CKAM_${name}}'; it must be AUTO, ON or OFF.")
    endif()
endfunction()

# found(NAME found "what the build lacks without it" packages): sets CKAM_NAME_FOUND, and says what is missing.
function(found name found lacks packages)
    set(CKAM_${name}_FOUND OFF PARENT_SCOPE)
    if(CKAM_${name} STREQUAL "OFF")
        message(STATUS "CKAM_${name} is OFF: ${lacks}.")
    elseif(found)
        set(CKAM_${name}_FOUND ON PARENT_SCOPE)
    elseif(CKAM_${name} STREQUAL "ON")
        message(FATAL_ERROR "CKAM_${name} is ON, and what it needs was not found. Debian has it in ${packages}.")
    else()
        message(STATUS "What CKAM_${name} needs was not found: ${lacks}. Debian has it in ${packages}.")
    endif()
endfunction()

# loaded(NAME header library lacks package): the header, and the name under which the library is loaded.
function(loaded name header library lacks package)
    find_path(${name}_INCLUDE_DIR ${header} PATH_SUFFIXES ${library})
    find_library(${name}_LIBRARY ${library})
    set(file "")
    if(${name}_INCLUDE_DIR AND ${name}_LIBRARY)
        file(REAL_PATH "${${name}_LIBRARY}" file)
        cmake_path(GET file FILENAME file)
        string(REGEX MATCH "^.*[.]so[.][0-9]+" file "${file}") # what comes behind changes within a Debian release
    endif()
    found(${name} "${file}" "${lacks}" ${package})
    set(${name}_FILE "${file}" PARENT_SCOPE)
    set(CKAM_${name}_FOUND ${CKAM_${name}_FOUND} PARENT_SCOPE)
endfunction()

feature(NETCDF "draws as NetCDF")
loaded(NETCDF netcdf.h netcdf "draws are not written as NetCDF" libnetcdf-dev)
feature(CAIRO "figures as PDF, SVG and PNG")
loaded(CAIRO cairo.h cairo "figures are not drawn as PDF, SVG and PNG" libcairo2-dev)

feature(NODE "remaking and testing report/page.html")
find_program(NODE_PROGRAM NAMES node nodejs)
if(NODE_PROGRAM AND EXISTS "${PROJECT_SOURCE_DIR}/report/node_modules/esbuild")
    set(page_tools ON)
else()
    set(page_tools "")
endif()
found(NODE "${page_tools}" "report/page.html is not remade or tested" "nodejs and npm; `npm ci` in report/ installs the rest")

feature(MPI "the program ckam-mpi")
if(CKAM_MPI)
    find_package(MPI QUIET COMPONENTS C)
endif()
found(MPI "${MPI_C_FOUND}" "ckam-mpi is not built" libopenmpi-dev)
