# What ckam needs beside libc and libm: POSIX threads, Random123 (headers only), a threaded OpenBLAS, jansson, and the
# header of NetCDF, whose library is loaded when a run wants it. Sets RANDOM123_INCLUDE_DIR, OPENBLAS_..., JANSSON_...,
# NETCDF_INCLUDE_DIR and NETCDF_FILE (the name that is loaded), or stops and names Debian's package.
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

find_path(JANSSON_INCLUDE_DIR jansson.h)
find_library(JANSSON_LIBRARY jansson)
if(NOT JANSSON_INCLUDE_DIR OR NOT JANSSON_LIBRARY)
    message(FATAL_ERROR "jansson was not found. Debian's package is libjansson-dev.")
endif()

find_path(NETCDF_INCLUDE_DIR netcdf.h)
find_library(NETCDF_LIBRARY netcdf)
if(NOT NETCDF_INCLUDE_DIR OR NOT NETCDF_LIBRARY)
    message(FATAL_ERROR "NetCDF was not found. Debian's package is libnetcdf-dev.")
endif()
file(REAL_PATH "${NETCDF_LIBRARY}" netcdf_file)
cmake_path(GET netcdf_file FILENAME NETCDF_FILE)
