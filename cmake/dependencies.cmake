# What ckam needs beside libc and libm: POSIX threads, Random123 (headers only), jansson, and the headers of
# NetCDF and cairo, whose libraries are loaded when they are wanted. Sets RANDOM123_INCLUDE_DIR, JANSSON_..., and for
# NetCDF and cairo ..._INCLUDE_DIR and ..._FILE (what is loaded); or stops and names Debian's package. Node is for those
# who change or test the page of a report: NODE_PROGRAM, and CKAM_NODE_FOUND where its packages are there, too.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

find_path(RANDOM123_INCLUDE_DIR Random123/threefry.h)
if(NOT RANDOM123_INCLUDE_DIR)
    message(FATAL_ERROR "The Random123 headers were not found. Debian's package is librandom123-dev.")
endif()

find_path(JANSSON_INCLUDE_DIR jansson.h)
find_library(JANSSON_LIBRARY jansson)
if(NOT JANSSON_INCLUDE_DIR OR NOT JANSSON_LIBRARY)
    message(FATAL_ERROR "jansson was not found. Debian's package is libjansson-dev.")
endif()

# loaded(PREFIX header library package): the header, and the name under which the library is loaded.
function(loaded prefix header library package)
    find_path(${prefix}_INCLUDE_DIR ${header} PATH_SUFFIXES ${library})
    find_library(${prefix}_LIBRARY ${library})
    if(NOT ${prefix}_INCLUDE_DIR OR NOT ${prefix}_LIBRARY)
        message(FATAL_ERROR "${header} or its library was not found. Debian's package is ${package}.")
    endif()
    file(REAL_PATH "${${prefix}_LIBRARY}" file)
    cmake_path(GET file FILENAME name)
    string(REGEX MATCH "^.*[.]so[.][0-9]+" name "${name}") # what comes behind changes within a Debian release
    set(${prefix}_FILE "${name}" PARENT_SCOPE)
endfunction()
loaded(NETCDF netcdf.h netcdf libnetcdf-dev)
loaded(CAIRO cairo.h cairo libcairo2-dev)

set(CKAM_NODE AUTO CACHE STRING "Node, which remakes and tests report/page.html: AUTO, ON (required) or OFF")
set_property(CACHE CKAM_NODE PROPERTY STRINGS AUTO ON OFF)
set(CKAM_NODE_FOUND OFF)
find_program(NODE_PROGRAM NAMES node nodejs)
if(CKAM_NODE AND NODE_PROGRAM AND EXISTS "${PROJECT_SOURCE_DIR}/report/node_modules/esbuild")
    set(CKAM_NODE_FOUND ON)
elseif(CKAM_NODE STREQUAL "ON")
    message(FATAL_ERROR "CKAM_NODE is ON, and Node or its packages were not found. Debian's packages are nodejs and npm; "
        "`npm ci` in report/ installs the rest.")
endif()

# MPI, for ckam-mpi: where there is none, the program is not made.
find_package(MPI QUIET COMPONENTS C)
if(NOT MPI_C_FOUND)
    message(STATUS "MPI was not found: ckam-mpi is not built. Debian's package is libopenmpi-dev.")
endif()
