// SPDX-License-Identifier: BSD-3-Clause
// SRCMOD .fsp: km, metres of slip, newton metres.
//
// "Coordinates are given for center|top-center of each subfault" says which point LAT, LON and Z
// name; the depth of the plane's upper edge (Htop, Z2top) checks it, and decides where the sentence
// is missing. Columns are found by their names. Rows may state a STRIKE and DIP of their own
// (models of potency density): those turn the slip, while the patch stays in the segment's grid.
#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <string>
#include <utility>

#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fault/slip_model/fsp_header.hpp"
#include "solvers/fault/slip_model/patch_rules.hpp"
#include "solvers/fault/slip_model/read_slip_model.hpp"
#include "solvers/source_time/time_function.hpp"

namespace kaname::slip_model {
namespace {

class FspReader {
public:
    explicit FspReader(const TextFile& file) : file_(file) {}

    SlipModel read() {
        for (const TextLine& line : file_.lines()) {
            if (!line.text.starts_with('%')) {
                read_row(line);
                continue;
            }
            const int before = header_.segment;
            if (lower_case(trimmed(line.text.substr(1))).starts_with("segment #")) {
                end_segment();
            }
            header_.read(line);
            if (header_.segment > before) {
                first_ = model_.patches.size();
            }
        }
        end_segment();
        finish();
        return std::move(model_);
    }

private:
    [[nodiscard]] std::optional<std::size_t> column(std::string_view name) const {
        const auto at = std::find(header_.columns.begin(), header_.columns.end(), name);
        return at == header_.columns.end()
                   ? std::nullopt
                   : std::optional<std::size_t>(at - header_.columns.begin());
    }

    double cell(const TextLine& line, std::string_view name) const {
        const auto at = column(name);
        if (!at) {
            header_.columns_line.refuse("column " + std::string(name) + " is missing");
        }
        return line.number_of(name, cells_[*at]);
    }

    [[nodiscard]] std::optional<double> cell_if(const TextLine& line, std::string_view name) const {
        return column(name) ? std::optional<double>(cell(line, name)) : std::nullopt;
    }

    static double needed(const std::optional<double>& value, const char* name,
                         const TextLine& line) {
        if (!value) {
            line.refuse(std::string(name) + " is missing in the header above the rows");
        }
        return *value;
    }

    /// Splits the line into its cells. Published files hold stray words between their numbers
    /// ("0.0002 x 136.89"): they are left out where that leaves a cell for each column.
    void split(const TextLine& line) {
        cells_ = cells_of(line.text);
        if (cells_.size() == header_.columns.size()) {
            return;
        }
        const auto stray = [](std::string_view cell) {
            return cell.find_first_of("0123456789") == cell.npos && lower_case(cell) != "nan";
        };
        const std::size_t n_cells = cells_.size();
        const auto first = std::ranges::find_if(cells_, stray);
        const std::string word = first == cells_.end() ? "" : std::string(*first);
        std::erase_if(cells_, stray);
        if (cells_.size() != header_.columns.size()) {
            line.refuse("columns: " + std::to_string(n_cells) + ", must be " +
                        std::to_string(header_.columns.size()) + " as line " +
                        std::to_string(header_.columns_line.number) + " names them" +
                        (word.empty() ? "" : ", and '" + word + "' is no number"));
        }
        if (stray_rows_++ == 0) {
            first_stray_ = "'" + word + "' in line " + std::to_string(line.number);
        }
    }

    void read_row(const TextLine& line) {
        if (header_.columns.empty()) {
            line.refuse("columns: no line '% LAT LON ... Z SLIP ...' stands above this row");
        }
        split(line);
        if (model_.patches.size() == first_) {
            begin_segment(line);
        }
        const SlipSegment& plane = model_.segments.back();
        SlipPatch patch;
        patch.segment = static_cast<int>(model_.segments.size()) - 1;
        patch.id = (patch.segment > 0 ? std::to_string(patch.segment + 1) + "/" : "") +
                   std::to_string(model_.patches.size() - first_ + 1);
        patch.lat_deg = cell(line, "LAT");
        patch.lon_deg = cell(line, "LON");
        patch.depth_m = kMetresPerKm * cell(line, "Z");
        patch.slip_m = cell(line, "SLIP");
        const std::vector<Window> windows = read_windows(line);
        if (const auto rake = cell_if(line, "RAKE")) {
            patch.rake_deg = *rake;
        } else if (const auto turned = rake_of(windows)) {
            patch.rake_deg = *turned;
        } else {
            patch.rake_deg = needed(header_.rake_deg, "RAKE", line);
            rows_of_header_rake_ += windows.empty() ? 0 : 1;
        }
        patch.strike_deg = cell_if(line, "STRIKE").value_or(plane.strike_deg);
        patch.dip_deg = cell_if(line, "DIP").value_or(plane.dip_deg);
        patch.rupture_time_s = cell_if(line, "TRUP");
        patch.rise_time_s = cell_if(line, "RISE");
        patch.moment_nm = cell_if(line, "SF_MOMENT");
        patch.length_m = needed(header_.dx_m, "Dx", line);
        patch.width_m = needed(header_.dz_m, "Dz", line);
        add_rates(line, windows, patch);
        add_patch(model_, patch, line);
    }

    /// Slip of one time window, in a direction of its own where the file states one.
    struct Window {
        double slip_m = 0.0;
        std::optional<double> rake_deg = {};
    };

    /// Reads the time windows: columns TW1, TW2 ... (or SLIP_TW1, SLIPTW1) and rakeTW1, rakeTW2 ...
    std::vector<Window> read_windows(const TextLine& line) const {
        const auto first_of = [&](std::initializer_list<std::string> names) {
            const auto known = std::ranges::find_if(
                names, [&](const std::string& name) { return column(name).has_value(); });
            return known == names.end() ? std::nullopt : std::optional(cell(line, *known));
        };
        std::vector<Window> windows;
        for (;;) {
            const std::string name = "TW" + std::to_string(windows.size() + 1);
            const auto slip_m = first_of({name, "SLIP" + name, "SLIP_" + name});
            if (!slip_m) {
                return windows;
            }
            windows.push_back({*slip_m, first_of({"RAKE" + name, "RAKE_" + name})});
        }
    }

    /// Sum of the windows' slip as a vector: along strike, and up the dip.
    static std::array<double, 2> sum_of(const std::vector<Window>& windows, double rake_deg) {
        std::array<double, 2> sum{};
        for (const Window& window : windows) {
            const double rake = window.rake_deg.value_or(rake_deg) * kDegree;
            sum[0] += window.slip_m * std::cos(rake);
            sum[1] += window.slip_m * std::sin(rake);
        }
        return sum;
    }

    /// Direction of the windows' vector sum; nothing where they state none or do not slip.
    static std::optional<double> rake_of(const std::vector<Window>& windows) {
        if (windows.empty() || !std::ranges::all_of(windows, [](const Window& window) {
                return window.rake_deg.has_value();
            })) {
            return std::nullopt;
        }
        const auto [along, up] = sum_of(windows, 0.0);
        return std::hypot(along, up) > 0.0 ? std::optional(std::atan2(up, along) / kDegree)
                                           : windows.front().rake_deg;
    }

    /// Makes rates of slip of the time windows: triangles that last LEN, each SHF after the one
    /// before it; a series for each direction that windows have.
    void add_rates(const TextLine& line, const std::vector<Window>& windows, SlipPatch& patch) {
        const auto [along_m, up_m] = sum_of(windows, patch.rake_deg);
        const double sum_m = std::hypot(along_m, up_m);
        if (sum_m <= 0.0 || patch.slip_m <= 0.0) {
            return;
        }
        differing_ += std::abs(sum_m / patch.slip_m - 1.0) > kSumDiffers ? 1 : 0;
        const double length_s = needed(header_.window_s, "LEN of the time windows", line);
        const double shift_s = windows.size() > 1
                                   ? needed(header_.window_shift_s, "SHF of the time windows", line)
                                   : length_s;
        if (length_s < 0.0 || shift_s < 0.0) {
            line.refuse("LEN and SHF of the time windows must be >= 0 s");
        }
        if (length_s == 0.0 || shift_s == 0.0) {
            without_times_ = true;  // the slip is known, when it happens is not
            return;
        }
        constexpr int kSamples = 20;  // of a window
        const auto triangle = source_time::TimeFunction::triangle(length_s, 0.0);
        const double interval_s = length_s / kSamples;
        const double end_s = shift_s * static_cast<double>(windows.size() - 1) + length_s;
        const auto n_samples = static_cast<std::size_t>(std::ceil(end_s / interval_s - 1e-9));
        for (std::size_t window = 0; window < windows.size(); ++window) {
            if (windows[window].slip_m == 0.0) {
                continue;
            }
            const double rake_deg = windows[window].rake_deg.value_or(patch.rake_deg);
            auto rate = std::ranges::find(patch.rates, rake_deg, &SlipRate::rake_deg);
            if (rate == patch.rates.end()) {
                patch.rates.push_back(
                    {0.0, rake_deg, interval_s, std::vector<double>(n_samples, 0.0)});
                rate = patch.rates.end() - 1;
            }
            const double slip_m = windows[window].slip_m * patch.slip_m / sum_m;
            rate->slip_m += slip_m;
            for (std::size_t k = 0; k < n_samples; ++k) {
                const double t_s =
                    static_cast<double>(k) * interval_s - static_cast<double>(window) * shift_s;
                rate->rate_m_per_s[k] += slip_m * triangle.moment_rate_at(t_s);
            }
        }
    }

    void begin_segment(const TextLine& line) {
        SlipSegment plane{needed(header_.strike_deg, "STRK (STRIKE)", line),
                          needed(header_.dip_deg, "DIP", line)};
        if (plane.dip_deg < 0.0 || plane.dip_deg > 90.0) {
            line.refuse("DIP: '" + std::to_string(plane.dip_deg) +
                        "' in the header, must be from 0 to 90 degrees");
        }
        plane.strike_deg -= 360.0 * std::floor(plane.strike_deg / 360.0);
        model_.segments.push_back(plane);
        // Dx and Dz may be left to LEN / Nx and WID / Nz.
        if (!header_.dx_m && header_.length_m && header_.n_strike) {
            header_.dx_m = *header_.length_m / *header_.n_strike;
        }
        if (!header_.dz_m && header_.width_m && header_.n_dip) {
            header_.dz_m = *header_.width_m / *header_.n_dip;
        }
    }

    /// Counts the rows that came, and moves them from the point the file names to the centre.
    void end_segment() {
        const std::size_t n = model_.patches.size() - first_;
        if (n == 0) {
            if (header_.segment > 0 || !model_.patches.empty()) {
                file_.whole().refuse("segment " + std::to_string(header_.segment) +
                                     " holds no row");
            }
            return;
        }
        std::optional<double> announced = header_.n_patches;
        if (!announced && header_.segment == 0 && header_.n_strike && header_.n_dip) {
            announced = *header_.n_strike * *header_.n_dip;
        }
        if (announced && static_cast<double>(n) != *announced && fills_the_grid(n)) {
            model_.warnings.push_back(
                "segment " + std::to_string(std::max(header_.segment, 1)) + ": Nsbfs announces " +
                std::to_string(std::lround(*announced)) + " rows, " + std::to_string(n) +
                " are read: as many as its Nx and Nz, or its sizes, announce");
        } else if (announced && static_cast<double>(n) != *announced) {
            file_.whole().refuse("Nsbfs: segment " + std::to_string(std::max(header_.segment, 1)) +
                                 " holds " + std::to_string(n) + " rows, the header announces " +
                                 std::to_string(std::lround(*announced)));
        }
        if (decide_point() == FspPoint::TopCentre) {
            const SlipSegment& plane = model_.segments.back();
            const PlaneAxes axes = plane_axes(plane.strike_deg * kDegree, plane.dip_deg * kDegree);
            for (std::size_t i = first_; i < model_.patches.size(); ++i) {
                SlipPatch& patch = model_.patches[i];
                const Place centre = moved({patch.lon_deg, patch.lat_deg, patch.depth_m},
                                           0.5 * patch.width_m * axes.down_dip);
                patch.lon_deg = centre.lon_deg;
                patch.lat_deg = centre.lat_deg;
                patch.depth_m = centre.depth_m;
            }
        }
        first_ = model_.patches.size();
    }

    /// Returns true if that many rows fill the grid that Nx and Nz, or the sizes, announce. The
    /// USGS writes the number of columns as Nsbfs.
    [[nodiscard]] bool fills_the_grid(std::size_t n_rows) const {
        const auto n = static_cast<double>(n_rows);
        if (header_.segment == 0 && header_.n_strike && header_.n_dip) {
            return n == *header_.n_strike * *header_.n_dip;
        }
        return header_.length_m && header_.width_m && header_.dx_m && header_.dz_m &&
               n == std::round(*header_.length_m / *header_.dx_m) *
                        std::round(*header_.width_m / *header_.dz_m);
    }

    FspPoint decide_point() {
        double shallowest = model_.patches[first_].depth_m;
        for (std::size_t i = first_; i < model_.patches.size(); ++i) {
            shallowest = std::min(shallowest, model_.patches[i].depth_m);
        }
        const double height = *header_.dz_m * std::sin(model_.segments.back().dip_deg * kDegree);
        const std::string at = "segment " + std::to_string(std::max(header_.segment, 1));
        std::optional<FspPoint> fits;
        if (header_.top_depth_m) {
            // A fifth of a patch: upper edges are rounded to 10 m, and half a patch tells them
            // apart.
            const double below = shallowest - *header_.top_depth_m;
            if (std::abs(below) < 0.2 * height) {
                fits = FspPoint::TopCentre;
            } else if (std::abs(below - 0.5 * height) < 0.2 * height) {
                fits = FspPoint::Centre;
            }
        }
        if (!header_.point) {
            if (!fits) {
                file_.whole().refuse(
                    at +
                    ": no line 'Coordinates are given for center (or top-center) of each "
                    "subfault', and the depth of the upper edge does not tell it");
            }
            return *fits;
        }
        if (fits && *fits != *header_.point) {
            const bool centre = *header_.point == FspPoint::Centre;
            model_.warnings.push_back(
                at + ": coordinates are read as those of the patches' " +
                (centre ? "centres" : "top centres") +
                ", as the header says, but the depth of its upper edge fits " +
                (centre ? "top centres" : "centres"));
        }
        return *header_.point;
    }

    void finish() {
        if (header_.n_segments && header_.segment > 0 && header_.segment != *header_.n_segments) {
            file_.whole().refuse("Nsg: the header announces " +
                                 std::to_string(std::lround(*header_.n_segments)) +
                                 " segments, the file holds " + std::to_string(header_.segment));
        }
        model_.name = header_.event;
        model_.published_mw = header_.mw;
        model_.published_moment_nm = header_.moment_nm;
        if (header_.hypocentre_lat_deg && header_.hypocentre_lon_deg &&
            header_.hypocentre_depth_m) {
            model_.hypocentre = {{*header_.hypocentre_lon_deg, *header_.hypocentre_lat_deg,
                                  *header_.hypocentre_depth_m}};
        }
        if (!header_.rigidity.rows.empty()) {
            model_.rigidity = header_.rigidity;
        }
        model_.warnings.insert(model_.warnings.end(), header_.warnings.begin(),
                               header_.warnings.end());
        if (differing_ > 0) {
            model_.warnings.push_back(
                "slip of the time windows adds up to something that differs by over 5 % from SLIP "
                "in " +
                std::to_string(differing_) + " rows; SLIP is used");
        }
        if (without_times_) {
            model_.warnings.push_back(
                "LEN or SHF of the time windows is 0 s: the slip of all windows is used, the time "
                "of each is unknown");
        }
        if (rows_of_header_rake_ > 0) {
            model_.warnings.push_back(
                "the file states no rake for its rows or time windows: the header's, " +
                number(*header_.rake_deg) + " degrees, is used in " +
                std::to_string(rows_of_header_rake_) + " rows");
        }
        if (stray_rows_ > 0) {
            model_.warnings.push_back("words between the numbers of " +
                                      std::to_string(stray_rows_) + " rows are left out, first " +
                                      first_stray_);
        }
        warn_of_other_planes();
    }

    /// Patches whose own plane is far from the grid's.
    void warn_of_other_planes() {
        constexpr double kTold_deg = 10.0;
        double largest = 0.0;
        for (const SlipPatch& patch : model_.patches) {
            const SlipSegment& plane = model_.segments[static_cast<std::size_t>(patch.segment)];
            const Vec3 own = plane_axes(patch.strike_deg * kDegree, patch.dip_deg * kDegree).normal;
            const Vec3 grid =
                plane_axes(plane.strike_deg * kDegree, plane.dip_deg * kDegree).normal;
            largest = std::max(largest, std::acos(std::clamp(dot(own, grid), -1.0, 1.0)) / kDegree);
        }
        if (largest > kTold_deg) {
            model_.warnings.push_back(
                "rows state planes of their own, up to " + std::to_string(std::lround(largest)) +
                " degrees off the plane they lie in; their slip is turned into the fault's "
                "surface where it is applied");
        }
    }

    const TextFile& file_;
    FspHeader header_;
    SlipModel model_;
    std::size_t first_ = 0;  // patch of the segment being read
    int differing_ = 0;      // rows whose time windows miss SLIP
    bool without_times_ = false;
    int rows_of_header_rake_ = 0;  // rows with time windows and no rake
    int stray_rows_ = 0;           // rows with words between their numbers
    std::string first_stray_;
    std::vector<std::string_view> cells_;
};

}  // namespace

SlipModel read_srcmod_fsp(const TextFile& file) {
    return FspReader(file).read();
}

}  // namespace kaname::slip_model
