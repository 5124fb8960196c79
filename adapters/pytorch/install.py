"""Makes a virtual environment with the newest torch: install.py FOLDER [--full] [--version X].

Wheels of torch for x86-64 Linux are CUDA builds. The slim form leaves NVIDIA's libraries out: the wheel alone, and in
their place shared objects that define the missing symbols and answer "no device", which is all that torch asks of them
on a machine without a GPU. The results are the same; there is a third of it on disk.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Measured with torch 2.15.0: (to download, on disk) in MB.
SIZES = {"slim": (560, 1400), "full": (3016, 5467)}
# What torch imports on a CPU, of all that it names as its requirements.
NEEDED = ["numpy", "typing-extensions", "sympy", "filelock", "jinja2", "networkx", "fsspec"]
NVIDIA_SYMBOL = re.compile(r"^_*(cu|nccl|nv)[A-Za-z_0-9]+$")
NVIDIA_LIBRARY = re.compile(r"^lib(cu|nccl|nv)")
NO_DEVICE = 100  # cudaErrorNoDevice


def run(*command):
    print("+ " + " ".join(command), flush=True)
    subprocess.run(command, check=True)


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout


def libraries(folder):
    """torch's own libraries, without stubs of an earlier call."""
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))
            if ".so" in name and not NVIDIA_LIBRARY.match(name)]


def nvidia_libraries(files):
    """Names of NVIDIA's libraries that these need, whether or not the system has some: mixed ones would not fit."""
    needed = set()
    for file in files:
        needed |= set(re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "-d", file)))
    return sorted(name for name in needed if NVIDIA_LIBRARY.match(name))


def missing_symbols(files):
    """{(symbol, version or "")} of NVIDIA's names that no library defines."""
    undefined, defined = set(), set()
    for file in files:
        for line in output("nm", "-D", file).splitlines():
            kind, name = line.split()[-2:]
            symbol, _, version = name.replace("@@", "@").partition("@")
            if NVIDIA_SYMBOL.match(symbol):
                (undefined if kind in "Uw" else defined).add((symbol, version))
    have = {symbol for symbol, _ in defined}
    return {(symbol, version) for symbol, version in undefined if symbol not in have}


def versions_by_library(files):
    """{library: versions of its symbols that others ask for}, from the version needs of ELF."""
    found = {}
    for file in files:
        library = None
        for kind, name in re.findall(r"\b(File|Name): (\S+)", output("readelf", "-V", "-W", file)):
            if kind == "File":
                library = name
            elif library:
                found.setdefault(library, set()).add(name)
    return found


def make_stub(folder, name, symbols, versions):
    """One shared object with the symbols of its own versions, and all those without any."""
    free = sorted(symbol for symbol, version in symbols if not version)
    own = {version: sorted(s for s, v in symbols if v == version) for version in sorted(versions)}
    with tempfile.TemporaryDirectory() as scratch:
        source, script = os.path.join(scratch, "stub.c"), os.path.join(scratch, "stub.map")
        with open(source, "w") as file:
            file.writelines("int %s(void) { return %d; }\n" % (symbol, NO_DEVICE)
                            for symbol in free + sum(own.values(), []))
        with open(script, "w") as file:
            file.writelines("%s { %s };\n" % (version, "global: %s;" % "; ".join(listed) if listed else "")
                            for version, listed in own.items())
        flags = ["-Wl,--version-script=" + script] if own else []
        subprocess.run(["gcc", "-w", "-shared", "-fPIC", "-fno-builtin", "-o", os.path.join(folder, name), source,
                        "-Wl,-soname," + name] + flags, check=True)


def fill_in(python):
    """Puts a stub beside libtorch.so for every library of NVIDIA's that torch needs."""
    folder = output(python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])").strip()
    folder = os.path.join(folder, "torch", "lib")
    files = libraries(folder)
    names, symbols, versions = nvidia_libraries(files), missing_symbols(files), versions_by_library(files)
    for name in names:
        make_stub(folder, name, symbols, versions.get(name, ()))
    print("%d libraries of NVIDIA replaced by stubs with %d symbols" % (len(names), len(symbols)))


def check_tools(full):
    tools = [] if full else ["gcc", "nm", "readelf"]
    absent = [tool for tool in tools if not shutil.which(tool)]
    if absent:
        sys.exit("install.py: %s not found; apt install gcc binutils" % ", ".join(absent))
    try:
        import ensurepip
        import venv
    except ImportError:
        sys.exit("install.py: this Python cannot make virtual environments; apt install python3-venv")


def check_disk(folder, form):
    download, disk = SIZES[form]
    parent = folder
    while not os.path.isdir(parent):
        parent = os.path.dirname(parent)
    free = shutil.disk_usage(parent).free / 1e6
    print("torch, %s: about %d MB to download, %d MB on disk in %s (%d MB free)" % (form, download, disk, folder, free),
          flush=True)
    if free < disk + download:
        sys.exit("install.py: not enough space on the disk; name another folder")


def install(folder, full, version):
    python = os.path.join(folder, "bin", "python3")
    torch = "torch" if not version else "torch==" + version
    if not os.path.exists(python):
        run(sys.executable, "-m", "venv", folder)
    pip = [python, "-m", "pip", "install", "--no-cache-dir", "--progress-bar", "off"]
    if full:
        run(*pip, torch, "numpy")
    else:
        run(*pip, "--no-deps", torch)
        run(*pip, *NEEDED)
        fill_in(python)
    run(python, os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py"), "probe")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="of the virtual environment")
    parser.add_argument("--full", action="store_true", help="with NVIDIA's libraries, as the wheel asks for them")
    parser.add_argument("--version", help="of torch; the newest without it")
    arguments = parser.parse_args()
    folder = os.path.abspath(arguments.folder)
    check_tools(arguments.full)
    check_disk(folder, "full" if arguments.full else "slim")
    install(folder, arguments.full, arguments.version)


if __name__ == "__main__":
    main()
