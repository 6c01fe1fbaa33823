// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "solvers/h5/file.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"

namespace kaname::io {

/// A part of an axis.
struct Part {
    std::size_t first = 0, count = 0;
};

/// Values [source][epoch][station][component] of parts of a dataset.
struct GreensBlock {
    Part sources, epochs, stations, components;
    std::vector<double> values;

    /// By indices of the dataset.
    [[nodiscard]] double at(std::size_t source, std::size_t epoch, std::size_t station,
                            std::size_t component) const {
        const std::size_t row = (source - sources.first) * epochs.count + epoch - epochs.first;
        return values[(row * stations.count + station - stations.first) * components.count +
                      component - components.first];
    }
};

/// Sources of one direction of slip, one for each patch.
struct SlipDirection {
    std::string name;       ///< the dataset's slip_component
    double rake_deg = 0.0;  ///< in (-180, 180]; without meaning for opening
    bool opening = false;
    std::vector<std::size_t> sources;  ///< [patch] index in the dataset
};

/// A dataset as exporters see it: its rows in memory, its values in blocks from disk.
class ExportSource {
public:
    /// Throws as read_greens_dataset.
    explicit ExportSource(const std::string& path);

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] const GreensDataset& rows() const { return rows_; }
    [[nodiscard]] std::size_t n_epochs() const { return rows_.epochs_s.size(); }
    [[nodiscard]] std::size_t n_stations() const { return rows_.stations.size(); }
    [[nodiscard]] std::size_t n_patches() const { return patches_.size(); }
    /// The first source of a patch, which has its place; patches are in the order of the dataset.
    [[nodiscard]] const GreensDataset::Source& patch(std::size_t index) const {
        return rows_.sources[patches_[index]];
    }
    /// Directions of slip by rake, opening last. Throws InvalidArgument naming the source when a
    /// patch has two sources of a direction, or none of one that others have.
    [[nodiscard]] std::vector<SlipDirection> directions() const;
    /// Throws InvalidArgument naming the first source that is not done, and why.
    void require_complete() const;
    /// Throws InvalidArgument naming source, epoch and station of a value of a done source that is
    /// not finite.
    [[nodiscard]] GreensBlock read(Part sources, Part epochs, Part stations) const;
    /// The sources of a direction on some patches, and those that lie between them in the file.
    [[nodiscard]] GreensBlock read_patches(const SlipDirection& direction, Part patches,
                                           Part epochs, Part stations) const;
    /// One component (0 east, 1 north, 2 up) of all sources at one epoch.
    [[nodiscard]] GreensBlock read_component(std::size_t epoch, Part stations,
                                             std::size_t component) const;

private:
    [[nodiscard]] GreensBlock read_block(Part sources, Part epochs, Part stations,
                                         Part components) const;
    void check_finite(const GreensBlock& block) const;

    std::string path_;
    h5::File file_;
    GreensDataset rows_;
    std::vector<std::size_t> patches_;  ///< first source of each
};

/// Calls visit(part) for parts of `total` items of `values_each` numbers: some 32 MiB a part.
template <class Visit>
void for_parts(std::size_t total, std::size_t values_each, const Visit& visit) {
    constexpr std::size_t kValues = std::size_t{1} << 22U;
    const std::size_t most =
        std::max<std::size_t>(1, kValues / std::max<std::size_t>(1, values_each));
    for (std::size_t first = 0; first < total; first += most) {
        visit(Part{first, std::min(most, total - first)});
    }
}

/// Holds the arguments of a layout's writer; all rules that need no knowledge of the layout are
/// already checked.
struct ExportCall {
    const ExportSource& source;
    std::string folder;
    std::size_t epoch = 0;           ///< index, for layouts of one epoch
    Part epochs;                     ///< those to be written; none by layouts of places
    std::optional<double> rake_deg;  ///< GreensExportOptions
    std::optional<double> dt_s;

    [[nodiscard]] std::string path(const std::string& name) const { return folder + "/" + name; }
};

/// One file of an export, as the manifest has it.
struct ExportedFile {
    std::string name, content;
    std::string type = {};  ///< numpy's name of the numbers; empty: text
    std::vector<std::size_t> shape = {};
    std::vector<std::string> axes = {};  ///< slowest first
    std::string unit = {};
};

/// Describes the files that a layout has written.
struct ExportRecord {
    std::vector<ExportedFile> files;
    std::vector<std::pair<std::string, double>> numbers;  ///< facts of this layout
    std::vector<std::string> notes;                       ///< to know before it is used
    std::vector<std::string> left_to_user;                ///< what the consumer wants besides
};

// One layout each: writes its files to the call's folder and records them. Layouts, consumers and
// traps are described in docs/user/export.md.
void write_csi(const ExportCall& call, ExportRecord& record);
void write_altar(const ExportCall& call, ExportRecord& record);
void write_beat(const ExportCall& call, ExportRecord& record);
void write_pylith(const ExportCall& call, ExportRecord& record);
void write_viscojapan(const ExportCall& call, ExportRecord& record);
void write_pyrocko(const ExportCall& call, ExportRecord& record);
void write_csv(const ExportCall& call, ExportRecord& record);
void write_geojson(const ExportCall& call, ExportRecord& record);
void write_gmt(const ExportCall& call, ExportRecord& record);

}  // namespace kaname::io
