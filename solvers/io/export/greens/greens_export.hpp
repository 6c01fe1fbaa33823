// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "solvers/io/export/greens/export_source.hpp"

namespace kaname::io {

/// Holds options that some layouts take; a layout that does not take an option refuses it.
struct GreensExportOptions {
    std::optional<double> epoch_years = {};  ///< Julian years; one of the dataset's epochs
    std::optional<double> rake_deg = {};     ///< BEAT's reference rake; default 90
    std::optional<double> dt_years = {};     ///< Pyrocko's sampling; default the shortest interval
};

/// Names of the layouts, as people type them.
[[nodiscard]] std::vector<std::string> greens_export_layouts();

/// Writes the Green's functions of the dataset at `dataset_path` in `layout` to `folder`, which is
/// made where it is missing: the layout's files, then manifest.json, which says what they hold.
/// docs/user/export.md describes every layout. Files are read and written in blocks of some
/// 32 MiB, whatever the dataset's size, and come to the folder when all of them are complete.
/// Returns the paths written.
///
/// Throws InvalidArgument naming the field for an unknown layout, an epoch that the dataset does
/// not have (and the nearest), an option that the layout does not take, and a dataset that the
/// layout cannot hold: without unit slip, with sources that are not done, directions of slip that
/// are missing, no projection; else as read_greens_dataset, and Unavailable when the system refuses
/// to write.
std::vector<std::string> export_greens(const std::string& dataset_path, const std::string& layout,
                                       const std::string& folder,
                                       const GreensExportOptions& options = {});

/// The text of manifest.json: layout, dataset by name and hash, epochs, the order of patches,
/// stations and sources, conventions, and what the layout recorded.
[[nodiscard]] std::string manifest_text(const std::string& layout, const ExportCall& call,
                                        const ExportRecord& record);

}  // namespace kaname::io
