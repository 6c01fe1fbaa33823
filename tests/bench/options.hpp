// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "solvers/device/memory.hpp"

namespace kaname::bench {

enum class Size { Small, Medium, Large, Huge };
[[nodiscard]] const char* to_string(Size size);

/// Options holds the options of the command line.
struct Options {
    enum class Action { Run, Compare, Speedups, Help, Version };
    Action action = Action::Run;
    std::string suite;
    Size size = Size::Small;
    double unknowns = 0.0;  ///< of the lattice; 0: as the size says
    std::string json_path;  ///< empty: no file
    int threads = 0;        ///< 0: as many as OpenMP would take
    device::Backend device = device::Backend::Cpu;
    int ranks = 1;                     ///< threads that are the viscoelastic suite's ranks
    std::vector<std::string> methods;  ///< methods of the viscoelastic suite; empty: all
    /// Families of meshes of the viscoelastic suite: "lattice", "cleaved".
    std::vector<std::string> families = {"lattice"};
    bool first_solve = false;  ///< set-up and the coseismic solve alone
    bool phases = false;       ///< of a step in the viscoelastic suite
    std::string part;          ///< of the service suite; empty: all
    // Options of the mesh suite:
    std::string data_folder = "../shared/data";
    std::vector<std::string> cases;     ///< models; empty: all of the size
    int count = 200;                    ///< random models
    std::int64_t most_solved = 500000;  ///< elements of a mesh on which iterations are counted
    std::string compare_a;
    std::string compare_b;
    std::vector<std::string> speedups_of;  ///< files
};

extern const char* const kUsage;

/// Arguments without the program's name. Throws InvalidArgument naming the argument.
[[nodiscard]] Options parse_options(std::span<const char* const> arguments);

}  // namespace kaname::bench
