# Packages of Debian 12 that a full build, its tests and the quickstart need. Sourced by setup.sh.
# shellcheck shell=bash disable=SC2034

build_packages=(
  build-essential cmake ninja-build
  libfmt-dev nlohmann-json3-dev libcli11-dev libsqlitecpp-dev libsqlite3-dev libboost-dev libxxhash-dev zlib1g-dev
  libpcre2-dev libgtest-dev libgmock-dev libbenchmark-dev r-mathlib
)
# oneDNN's CMake package asks for the OpenCL headers and loader even when only the CPU is used.
onednn_packages=(libdnnl-dev ocl-icd-opencl-dev opencl-headers)
mpi_packages=(libopenmpi-dev openmpi-bin)
# The desktop program. Its CMake package asks for the OpenGL headers.
gui_packages=(qt6-base-dev qt6-svg-dev libqcustomplot-dev libgl-dev libopengl-dev fonts-dejavu-core)
# A display server without a screen, for the test of the real window.
window_packages=(xvfb xauth)
data_packages=(dataset-fashion-mnist r-cran-janeaustenr python3-sklearn)
# Without libopenblas0-pthread, torch computes on the reference BLAS.
# python3-venv is what 'lockstep systems install' makes an environment with.
pytorch_packages=(python3-torch libopenblas0-pthread python3-venv)

# What stands before the quickstart's table; the rest can wait.
table_packages=(
  "${build_packages[@]}" "${onednn_packages[@]}" "${mpi_packages[@]}" "${data_packages[@]}" "${pytorch_packages[@]}"
)
all_packages=("${table_packages[@]}" "${gui_packages[@]}" "${window_packages[@]}")

# For systems without these packages: what must be there, in words.
what_is_needed() {
  cat <<'TEXT'
Lockstep's set-up installs packages on Debian 12 and systems like it (apt-get and dpkg). Here, please install by hand:
  to build      a C++20 compiler (g++ 12 or newer), CMake 3.25, Ninja, and the development files of
                {fmt}, nlohmann/json 3.11, CLI11 2, SQLiteCpp 3, SQLite 3, Boost headers (Math) 1.74, xxHash, zlib,
                PCRE2 10
  for tests     GoogleTest and GoogleMock 1.12, Google Benchmark; optional libRmath
  optional      oneDNN 2.6 to 2.7 with OpenCL headers and loader (-DLOCKSTEP_ONEDNN=OFF leaves it out),
                Qt 6.4 with Svg and QCustomPlot 2.1 (-DLOCKSTEP_GUI=OFF leaves the desktop program out),
                OpenMP (-DLOCKSTEP_OPENMP=OFF), Open MPI 4 with mpirun (-DLOCKSTEP_MPI=OFF)
  data          Fashion-MNIST, Jane Austen's novels and the 8x8 digits as Debian packages them:
                dataset-fashion-mnist, r-cran-janeaustenr, python3-sklearn
  PyTorch       any torch that a python3 can import
then run this command again with --no-install.
TEXT
}
