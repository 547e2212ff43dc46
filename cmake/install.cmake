# What `cmake --install` puts where. Everything finds its files from its own place, so a tree can be moved.
include(CMakePackageConfigHelpers)
set(config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/ckam")
set(pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

install(TARGETS ckam ckam_static EXPORT ckam-targets)
install(TARGETS ckam_command)
if(TARGET ckam_mpi)
    install(TARGETS ckam_mpi_command)
    install(TARGETS ckam_mpi ARCHIVE)
    install(FILES include/ckam/mpi.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/ckam")
endif()
install(FILES include/ckam.h TYPE INCLUDE)
install(FILES include/ckam/model.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/ckam")
install(FILES LICENSE TYPE DOC)
install(DIRECTORY experiments DESTINATION "${CMAKE_INSTALL_DATADIR}/ckam") # ../share from the command: see reproduce.c
file(GLOB manual_pages CONFIGURE_DEPENDS docs/man/*.1)
if(manual_pages)
    install(FILES ${manual_pages} DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
endif()

# find_package(ckam): targets ckam::ckam (shared) and ckam::ckam_static.
install(EXPORT ckam-targets NAMESPACE ckam:: DESTINATION "${config_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/ckam-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES cmake/ckam-config.cmake cmake/ckam-jansson.cmake "${PROJECT_BINARY_DIR}/ckam-config-version.cmake" DESTINATION "${config_dir}")

# pkg-config ckam, and --static for the static library.
set(from_pkgconfig "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig")
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${from_pkgconfig}" OUTPUT_VARIABLE to_prefix)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY "${from_pkgconfig}" OUTPUT_VARIABLE to_include)
configure_file(cmake/ckam.pc.in "${PROJECT_BINARY_DIR}/ckam.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/ckam.pc" DESTINATION "${pkgconfig_dir}")

if(PROJECT_IS_TOP_LEVEL)
    add_custom_target(uninstall VERBATIM COMMAND "${CMAKE_COMMAND}" "-DBUILD=${PROJECT_BINARY_DIR}"
        "-DPREFIX=${CMAKE_INSTALL_PREFIX}" -P "${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake")
endif()
