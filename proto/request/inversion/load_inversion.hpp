// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

#include "proto/kaname/v1/inversion.pb.h"
#include "proto/request/form/request.hpp"
#include "proto/request/form/yaml_reader.hpp"
#include "proto/request/inversion/observations.hpp"

namespace kaname::request {

/// A covariance matrix [n][n] of comma-separated lines; it is made exactly symmetric. Throws
/// ValidationError where it has another shape, is not symmetric or not positive definite, naming
/// the row, Error when the file cannot be read.
[[nodiscard]] std::vector<double> read_covariance(const std::string& path, std::size_t n);

/// Slip of one source of a dataset.
struct SourceSlip {
    std::string source;  ///< id, such as "s00d01/dip_slip"
    double slip_m = 0.0;
};

/// A table with the columns source and slip_m, in any order; others are passed over.
/// Throws ValidationError with every bad row as "file:line", Error when it cannot be read.
[[nodiscard]] std::vector<SourceSlip> read_slip_csv(const std::string& path);

/// A request of an inversion that keeps every rule that needs no dataset.
struct LoadedInversion {
    v1::Inversion inversion;               ///< defaults filled, file paths absolute, sha256 set
    std::vector<ObservationTable> tables;  ///< of each set of data
    std::vector<std::vector<double>> covariances;  ///< of each set [rows][rows]; empty: none
    std::vector<SourceSlip> slip;                  ///< of synthetic.slip
    std::string chosen;  ///< in words: what was chosen by the data; empty: nothing
    std::vector<std::string> warnings;
};

/// A request as users write it; `greens`, if any, is its dataset instead. Throws
/// ValidationError with everything that is wrong with it, its files and their rows (with lines of
/// the YAML); Error when the file is no YAML at all.
[[nodiscard]] LoadedInversion load_inversion(const std::string& path,
                                             const std::string& greens = {});

/// A request that came as a message; its files have absolute paths. Checked in the same way;
/// `reading` says what was read of YAML, if it was.
[[nodiscard]] LoadedInversion check_inversion(v1::Inversion inversion, YamlReading reading = {});

/// Its canonical text, by which results are known: without labels where `labels` is false.
[[nodiscard]] std::string canonical_inversion(const v1::Inversion& inversion, bool labels);

/// The result that an inversion's folder gets.
inline constexpr const char* kInversionFile = "inversion.h5";

/// Slip from observed motion (Inversion): one task, without sources.
[[nodiscard]] const Kind& inversion_kind();

}  // namespace kaname::request
