# How every source of this project is compiled. The language and the floating-point rules hold for every build
# type, so that a debug build computes the same numbers; CMAKE_BUILD_TYPE adds optimisation (Release: -O3).
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
add_compile_definitions(_POSIX_C_SOURCE=200809L)

# Nothing reads errno after a maths function, nor the floating-point exception flags: the compiler may vectorise.
# No fused multiply-add: the same draws whether the compiler knows it or not.
# `omp simd` says which loop is meant; there is no OpenMP beyond that.
add_compile_options(-fno-math-errno -fno-trapping-math -ffp-contract=off -fopenmp-simd)

add_compile_options(
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion -Wstrict-prototypes -Wmissing-prototypes
    -Wcast-qual -Wwrite-strings -Wundef -Wformat=2)
if(CKAM_WERROR)
    add_compile_options(-Werror)
endif()

# What makes an error in memory harder to use. Sanitizers do more, and not beside it.
if(NOT CKAM_SANITIZE)
    add_compile_options(-fstack-protector-strong "$<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
    add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()
include(CheckPIESupported)
check_pie_supported()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(CKAM_SANITIZE)
    add_compile_options(-fsanitize=${CKAM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${CKAM_SANITIZE})
    add_compile_definitions(CKAM_NARROW) # base/wide.h
endif()

# What is installed finds a library where it was found for the build; that adds nothing where this is a folder of the system.
# Packagers may say otherwise.
option(CMAKE_INSTALL_RPATH_USE_LINK_PATH "Installed programs look for libraries where they were found" ON)
