# find_package(ckam) gives the targets ckam::ckam (shared) and ckam::ckam_static.
include(CMakeFindDependencyMacro)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_dependency(Threads)
include("${CMAKE_CURRENT_LIST_DIR}/ckam-targets.cmake")
