// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/report_error.hpp"
#include "client/cli/datasets/export.hpp"
#include "solvers/base/error.hpp"
#include "worker/run/exit_code.hpp"

// data: files of geodesists become what `kaname invert` and requests take, by the Python package.
namespace kaname::cli {
namespace {

namespace fs = std::filesystem;

/// Finds the folder with the Python package that belongs to this program, in the build folder as
/// where it is installed.
fs::path package_folder() {
    const fs::path prefix = run::beside_this_program("kaname").parent_path().parent_path();
    for (const char* place : {"python", "lib/python3/dist-packages"}) {
        if (fs::exists(prefix / place / "kaname/data/__init__.py")) {
            return prefix / place;
        }
    }
    throw Error(ErrorCode::NotFound, "kaname data: must have the Python package in " +
                                         (prefix / "lib/python3/dist-packages").string() +
                                         ", got none");
}

void become_python(int argc, char** argv) {
    const char* const others = std::getenv("PYTHONPATH");
    const std::string path =
        package_folder().string() +
        (others == nullptr || *others == '\0' ? "" : ":" + std::string(others));
    ::setenv("PYTHONPATH", path.c_str(), 1);
    const std::string python = python_program();
    ::setenv("PYTHONSAFEPATH", "1", 1);  // no modules of the working folder
    // -B: no byte code in the source tree.
    std::vector<std::string> words = {python, "-B", "-m", "kaname", "data"};
    words.insert(words.end(), argv + 2, argv + argc);
    std::vector<char*> pointers;
    for (std::string& word : words) {
        pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    ::execvp(python.c_str(), pointers.data());
    throw Error(ErrorCode::Unavailable, "kaname data: must be able to start " + python + ", got '" +
                                            std::strerror(errno) + "'");
}

}  // namespace

void add_data(Command& app, Context& context) {
    struct Nothing {};
    (void)add_command<Nothing>(
        app, context, "data",
        "Make what requests and invert take of files that geodesists have: gnss (series, "
        "velocities), insar (rasters), geometry (a plane that fits), fault (traces, triangles, "
        "moment tensors, Slab2), structure (3-D models); export slip and motion (.fsp, .param, "
        "KML, dtopo), reference (slices over HTTP)",
        std::make_shared<Nothing>(),
        +[](const Nothing& /*options*/, const Context& /*context*/) { return run::kExitOk; });
}

bool is_data(int argc, char** argv) {
    return argc > 1 && std::string_view(argv[1]) == "data";
}

int run_data(int argc, char** argv) {
    try {
        become_python(argc, argv);
    } catch (const std::exception& error) {
        bool json = false;
        for (int k = 2; k < argc; ++k) {
            json = json || std::string_view(argv[k]) == "--json";
        }
        return report_error(error, json);
    }
    return run::kExitOk;
}

}  // namespace kaname::cli
