# What ckam needs beside libc and libm: POSIX threads, Random123 (headers only), jansson, the headers of a threaded OpenBLAS,
# NetCDF and cairo, whose libraries are loaded when they are wanted, and Node for the page of a report. Sets
# RANDOM123_INCLUDE_DIR, JANSSON_..., for OpenBLAS, NetCDF and cairo ..._INCLUDE_DIR and ..._FILE (what is loaded), and
# NODE_PROGRAM; or stops and names Debian's package.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

find_path(RANDOM123_INCLUDE_DIR Random123/threefry.h)
if(NOT RANDOM123_INCLUDE_DIR)
    message(FATAL_ERROR "The Random123 headers were not found. Debian's package is librandom123-dev.")
endif()

# Debian has a folder for each flavour of OpenBLAS; elsewhere pkg-config knows where it is.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
    pkg_check_modules(OPENBLAS_PC QUIET openblas)
endif()
find_path(OPENBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas-pthread PATHS ${OPENBLAS_PC_INCLUDE_DIRS})
find_library(OPENBLAS_LIBRARY openblas PATH_SUFFIXES openblas-pthread PATHS ${OPENBLAS_PC_LIBRARY_DIRS})
if(NOT OPENBLAS_INCLUDE_DIR OR NOT OPENBLAS_LIBRARY)
    message(FATAL_ERROR "OpenBLAS was not found. Debian's package is libopenblas-pthread-dev.")
endif()

# The serial flavour gives wrong results when chains run in threads.
file(REAL_PATH "${OPENBLAS_LIBRARY}" openblas_file)
if(openblas_file MATCHES "openblas-serial")
    set(serial_library "${OPENBLAS_LIBRARY}")
    unset(OPENBLAS_LIBRARY CACHE) # look again when the right one has been installed
    unset(OPENBLAS_INCLUDE_DIR CACHE)
    message(FATAL_ERROR "${serial_library} is the serial OpenBLAS, which gives wrong results under threads. "
        "Debian's package of the threaded one is libopenblas-pthread-dev.")
endif()

# It is loaded from the folder where it was found, because the system's default may be another flavour; by the name that is
# there without the -dev package.
file(GLOB OPENBLAS_FILE "${OPENBLAS_LIBRARY}.[0-9]")
if(NOT OPENBLAS_FILE)
    set(OPENBLAS_FILE "${OPENBLAS_LIBRARY}")
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
