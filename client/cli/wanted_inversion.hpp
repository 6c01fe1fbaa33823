// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "client/cli/inversion_folder.hpp"
#include "client/cli/inversion_options.hpp"
#include "client/cli/service.hpp"
#include "proto/spec/inversion/load_inversion.hpp"

namespace kaname::cli {

/// The command line of `kaname invert`.
struct InvertOptions {
    std::string file, output;
    InversionOptions said;
    std::string job;  ///< whose sources are the dataset, as they come; empty: a dataset of its own
    ServiceOptions service;
    int threads = 0;
    bool force = false;
};

/// Returns true if options replace a specification file. Throws InvalidArgument for options that do
/// not go together.
[[nodiscard]] bool is_said(const InvertOptions& options);

/// A specification that keeps its rules, its text where options stand for it, and its folder.
struct WantedInversion {
    spec::LoadedInversion spec;
    std::string yaml;
    std::filesystem::path folder;

    /// Where it will write; `force`: replaces what is there.
    [[nodiscard]] InversionFolder place(bool force) const {
        return {spec.inversion, folder, yaml, force};
    }
};

/// Returns the inversion to compute with the dataset at `greens`; if that is empty, with the
/// dataset of the options or of the specification. Throws as spec::load_inversion.
[[nodiscard]] WantedInversion wanted_inversion(const InvertOptions& options,
                                               const std::filesystem::path& greens = {});

}  // namespace kaname::cli
