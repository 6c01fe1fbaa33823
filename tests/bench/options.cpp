// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <vector>

#include "solvers/base/error.hpp"

namespace kaname::bench {

const char* const kUsage =
    R"(Usage: kaname-bench SUITE [--size small|medium|large|huge] [--unknowns N] [--json FILE]
                    [--threads N] [--ranks N] [--device cpu|cuda] [--method NAME ...]
                    [--family lattice|cleaved|both] [--phases] [--first-solve]
                    [--data DIR] [--case NAME ...] [--count N] [--most-solved N]
       kaname-bench compare A.json B.json
       kaname-bench speedups FILE.json ...

Suites
  viscoelastic  time steps of four sources on meshes of about 50k, 200k, 800k, 3m unknowns
  kernels       element operators, P1 matrix and stress update on the same lattices
  mesh          meshes of the Nankai and Hellenic subduction zones (small: about 0.3 million elements
                each, medium: also 0.9, large: also more than 2) and of random layered models
  voxelwave     a step of explicit waves in a block of concrete with a steel bar (voxels of 4, 2 and
                1 mm): conventional and orthogonal voxels by matrices, Walsh transforms, integers;
                errors of K u and of waveforms (large: in the whole block, on a CPU for days)
  aderdg        whole updates of tetrahedra by one core, orders 2 to 7, FP64 and FP32, 1 and 4 sources,
                per GFLOP/s of its peak (small: 8,640 elements, medium: 40,000, large: 135,000);
                local time steps beside what their count of updates predicts
  inversion     slip of 372 sources from 1,000 stations x 100 epochs (small: 60 x 4) with five-fold
                cross-validation over 10 x 10 weights; a lasso beside scikit-learn's
  service       the queue in a PostgreSQL of its own: claims, completions, submit, cancel, retry and
                lists (small: 10,000 ready tasks of 50 owners, medium: 100,000, large: a million); the
                whole server: streams beside a bare gRPC stream, submits, agents that only report
  compare       figures of two --json files of one suite side by side, with ratios B/A
  speedups      seconds per source and step of every line in --json files of the viscoelastic suite
                (say, of kaname-bench and kaname-bench-one), over those of seed and default with
                the most vectors

Options
  --size SIZE   small (default), medium, large or, but for the mesh suite, huge
  --unknowns N  a lattice of about N unknowns instead, 5e4 to 2e8
  --json FILE   write all figures to FILE
  --threads N   threads of the kernels (default: OMP_NUM_THREADS or all cores), of each rank
  --ranks N     viscoelastic only: ranks, here threads that exchange halos (default 1)
  --device D    cpu (default) or cuda
  --method NAME viscoelastic only: this line of the time steps alone; may be repeated. pcge, mg_ab2,
                seed, seed_literal, seed_truncated, default, multistep2018, spectrum, reciprocal,
                parametric_spectrum (lattices: a range of viscosity, and what it answers) or, on
                a GPU, default_coloured
  --family F    viscoelastic only: lattice (default), which is sheared to the fault; cleaved, the graded
                meshes that users' layered models get; or both
  --first-solve viscoelastic only: nothing but each line's set-up and its solve from zero, and the
                mesh's angles
  --phases      viscoelastic only: seconds, bytes and floors of every phase of a step
  --part P      service only: queue, api or datasets alone; of the queue packs, bulk or open,
                of the api agents
  --data DIR    mesh only: folder with plate_interface, earth_structure and topography (default
                ../shared/data)
  --case NAME   mesh only: this model alone (nankai-5km, ..., random); may be repeated
  --count N     mesh only: how many random models (default 200)
  --most-solved N
                mesh only: iterations of a first solve are counted on meshes of at most so many
                elements (default 500000)
  --version     print the version
  --help        print this text

The table goes to standard output, progress to standard error.
Exit codes: 0 done; 2 bad arguments or files; 77 no such device here; 1 any other failure.
)";

const char* to_string(Size size) {
    switch (size) {
        case Size::Small:
            return "small";
        case Size::Medium:
            return "medium";
        case Size::Large:
            return "large";
        case Size::Huge:
            return "huge";
    }
    return "";
}

namespace {

[[noreturn]] void bad(const std::string& message) {
    throw Error(ErrorCode::InvalidArgument, message);
}

Size size_from(std::string_view name) {
    for (const Size size : {Size::Small, Size::Medium, Size::Large, Size::Huge}) {
        if (name == to_string(size)) {
            return size;
        }
    }
    bad("--size must be small, medium, large or huge, got '" + std::string(name) + "'");
}

device::Backend device_from(std::string_view name) {
    for (const device::Backend backend : {device::Backend::Cpu, device::Backend::Cuda}) {
        if (name == device::to_string(backend)) {
            return backend;
        }
    }
    bad("--device must be cpu or cuda, got '" + std::string(name) + "'");
}

const std::string& method_from(const std::string& name) {
    const auto known = {"pcge",          "mg_ab2",          "seed",
                        "seed_literal",  "seed_truncated",  "default",
                        "multistep2018", "spectrum",        "parametric_spectrum",
                        "reciprocal",    "default_coloured"};
    if (std::ranges::count(known, name) == 0) {
        bad("--method must be pcge, mg_ab2, seed, seed_literal, seed_truncated, default, "
            "multistep2018, spectrum, parametric_spectrum, reciprocal or default_coloured, got '" +
            name + "'");
    }
    return name;
}

double unknowns_from(std::string_view text) {
    double n = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc{} || end != text.data() + text.size() || !(n >= 5e4 && n <= 2e8)) {
        bad("--unknowns must be a number from 5e4 to 2e8, got '" + std::string(text) + "'");
    }
    return n;
}

std::vector<std::string> families_from(const std::string& name) {
    if (name == "both") {
        return {"lattice", "cleaved"};
    }
    if (name != "lattice" && name != "cleaved") {
        bad("--family must be lattice, cleaved or both, got '" + name + "'");
    }
    return {name};
}

int count_from(const std::string& option, std::string_view text, int least = 1, int most = 4096) {
    int n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc{} || end != text.data() + text.size() || n < least || n > most) {
        bad(option + " must be a whole number from " + std::to_string(least) + " to " +
            std::to_string(most) + ", got '" + std::string(text) + "'");
    }
    return n;
}

constexpr std::array kMeshOptions = {"--data", "--case", "--count", "--most-solved"};
constexpr std::array kOtherOptions = {"--size",   "--json",        "--threads",  "--ranks",
                                      "--device", "--method",      "--unknowns", "--family",
                                      "--phases", "--first-solve", "--part"};

void take_mesh_option(const std::string& argument, const std::string& value, Options& options) {
    if (argument == "--data") {
        options.data_folder = value;
    } else if (argument == "--case") {
        options.cases.push_back(value);
    } else if (argument == "--count") {
        options.count = count_from(argument, value);
    } else {
        options.most_solved = count_from(argument, value, 0, 100000000);
    }
}

}  // namespace

Options parse_options(std::span<const char* const> arguments) {
    Options options;
    std::vector<std::string> words;
    bool has_options = false, has_mesh_options = false, has_stepping_options = false;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        const std::string argument = arguments[k];
        if (argument == "--help" || argument == "-h") {
            options.action = Options::Action::Help;
            return options;
        }
        if (argument == "--version") {
            options.action = Options::Action::Version;
            return options;
        }
        if (!argument.starts_with("-")) {
            words.push_back(argument);
            continue;
        }
        const bool of_mesh = std::ranges::count(kMeshOptions, argument) > 0;
        if (!of_mesh && std::ranges::count(kOtherOptions, argument) == 0) {
            bad("unknown option '" + argument + "' (see --help)");
        }
        if (argument == "--phases" || argument == "--first-solve") {
            (argument == "--phases" ? options.phases : options.first_solve) = true;
            has_options = has_stepping_options = true;
            continue;
        }
        if (k + 1 == arguments.size() || *arguments[k + 1] == '\0') {
            bad(argument + " needs a value");
        }
        const std::string value = arguments[++k];
        has_options = true;
        has_mesh_options |= of_mesh;
        if (of_mesh) {
            take_mesh_option(argument, value, options);
        } else if (argument == "--size") {
            options.size = size_from(value);
        } else if (argument == "--unknowns") {
            options.unknowns = unknowns_from(value);
        } else if (argument == "--json") {
            options.json_path = value;
        } else if (argument == "--device") {
            options.device = device_from(value);
        } else if (argument == "--method") {
            options.methods.push_back(method_from(value));
            has_stepping_options = true;
        } else if (argument == "--family") {
            options.families = families_from(value);
            has_stepping_options = true;
        } else if (argument == "--part") {
            constexpr std::array kParts = {"queue", "api",  "datasets", "packs",
                                           "bulk",  "open", "agents"};
            if (std::ranges::find(kParts, value) == kParts.end()) {
                bad("--part must be queue, api or datasets, or of these packs, bulk, open or "
                    "agents, got '" +
                    value + "'");
            }
            options.part = value;
        } else if (argument == "--threads") {
            options.threads = count_from(argument, value);
        } else {
            options.ranks = count_from(argument, value);
        }
    }
    if (words.empty()) {
        bad("a suite is missing: viscoelastic, kernels, mesh, voxelwave, aderdg, inversion, "
            "service, "
            "compare or speedups (see --help)");
    }
    options.suite = words[0];
    if (options.suite == "compare") {
        if (words.size() != 3 || has_options) {
            bad("compare takes exactly two files and no options");
        }
        options.action = Options::Action::Compare;
        options.compare_a = words[1];
        options.compare_b = words[2];
        return options;
    }
    if (options.suite == "speedups") {
        if (words.size() < 2 || has_options) {
            bad("speedups takes one file or more and no options");
        }
        options.action = Options::Action::Speedups;
        options.speedups_of.assign(words.begin() + 1, words.end());
        return options;
    }
    const bool stepping = options.suite == "viscoelastic";
    const bool lattice = stepping || options.suite == "kernels";
    if (!lattice && options.suite != "mesh" && options.suite != "voxelwave" &&
        options.suite != "aderdg" && options.suite != "inversion" && options.suite != "service") {
        bad("unknown suite '" + options.suite +
            "': known are viscoelastic, kernels, mesh, voxelwave, aderdg, inversion and service");
    }
    if (!stepping && options.ranks != 1) {
        bad("--ranks is of the viscoelastic suite: the others run on one rank");
    }
    if (!stepping && has_stepping_options) {
        bad("--method, --family, --phases and --first-solve are of the viscoelastic suite");
    }
    if (options.phases && options.first_solve) {
        bad("--phases are those of steps, which --first-solve leaves out");
    }
    if (!lattice && options.size == Size::Huge) {
        bad("--size of the " + options.suite + " suite must be small, medium or large");
    }
    if (!lattice && options.suite != "voxelwave" && options.suite != "aderdg" &&
        options.device != device::Backend::Cpu) {
        bad("--device of the " + options.suite + " suite must be cpu");
    }
    if (!lattice && options.unknowns > 0.0) {
        bad("--unknowns is of the lattices, which the " + options.suite + " suite does not have");
    }
    if (options.unknowns > 0.0 && std::ranges::count(options.families, "cleaved") > 0) {
        bad("--unknowns is of the lattices: --family must be lattice");
    }
    const bool coloured = std::ranges::count(options.methods, "default_coloured") > 0;
    if (coloured && options.device != device::Backend::Cuda) {
        bad("--method default_coloured is a GPU's: --device must be cuda");
    }
    if (!options.part.empty() && options.suite != "service") {
        bad("--part is of the service suite");
    }
    if (options.suite != "mesh" && has_mesh_options) {
        bad("--data, --case, --count and --most-solved are of the mesh suite");
    }
    if (words.size() > 1) {
        bad("unexpected argument '" + words[1] + "'");
    }
    return options;
}

}  // namespace kaname::bench
