// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/cli/commands.hpp"
#include "client/cli/output_place.hpp"
#include "proto/kaname/v1/inversion.pb.h"

namespace kaname::cli {

/// The folder that an inversion leaves: inversion.h5, its slip as tables (slip.csv, or
/// slip_NAME.csv of several windows), and inversion.yaml where options stand for a specification.
class InversionFolder {
public:
    /// Made before anything is computed, so that a place that cannot be used costs nothing. `yaml`:
    /// text of inversion.yaml, empty for none. Throws as OutputPlace does.
    InversionFolder(const v1::Inversion& inversion, std::filesystem::path path, std::string yaml,
                    bool force);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    /// Computes the inversion, with a progress line, and puts all files there; leaves nothing of
    /// one that fails. The report names inversion.h5.
    [[nodiscard]] v1::InversionReport fill(const v1::Inversion& inversion, int threads,
                                           const Context& context) const;

    /// A line per file, "slip: out/slip.csv".
    [[nodiscard]] std::string text() const;

private:
    void put_slip_tables(const Context& context) const;
    void clean_up(bool folder_is_new) const;

    std::filesystem::path path_;
    std::string yaml_;
    OutputPlace inversion_;
    std::vector<std::pair<std::string, OutputPlace>> slip_;  ///< by window
    std::optional<OutputPlace> specification_;
};

}  // namespace kaname::cli
