# What ckam needs beside libc and libm: POSIX threads, Random123 (headers only), jansson, the headers of
# NetCDF and cairo, whose libraries are loaded when they are wanted, and Node for the page of a report. Sets
# RANDOM123_INCLUDE_DIR, JANSSON_..., for NetCDF and cairo ..._INCLUDE_DIR and ..._FILE (what is loaded), and
# NODE_PROGRAM; or stops and names Debian's package.
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

find_program(NODE_PROGRAM NAMES node nodejs)
if(NOT NODE_PROGRAM)
    message(FATAL_ERROR "Node was not found. Debian's packages are nodejs and npm.")
endif()
if(NOT EXISTS "${PROJECT_SOURCE_DIR}/report/node_modules/esbuild")
    message(FATAL_ERROR "The npm packages of the report page are not there. `npm ci` in report/ installs them; so do "
        "make's targets.")
endif()

# MPI, for ckam-mpi: where there is none, the program is not made.
find_package(MPI QUIET COMPONENTS C)
if(NOT MPI_C_FOUND)
    message(STATUS "MPI was not found: ckam-mpi is not built. Debian's package is libopenmpi-dev.")
endif()
