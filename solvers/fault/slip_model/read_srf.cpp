// SPDX-License-Identifier: BSD-3-Clause
// Standard Rupture Format (R. Graves), versions 1.0 and 2.0: km, and cm for slip, area and shear
// velocity.
//   1.0
//   PLANE n, and per plane: ELON ELAT NSTK NDIP LEN WID / STK DIP DTOP SHYP DHYP   (may be absent)
//   POINTS n (in 2.0 one such block per plane), and per point:
//     LON LAT DEP STK DIP AREA TINIT DT [VS DEN]
//     RAKE SLIP1 NT1 SLIP2 NT2 SLIP3 NT3
//     SR1[NT1] SR2[NT2] SR3[NT3]
// Direction 1 is the rake, 2 is rake + 90, 3 opens. Rates are every DT from TINIT on.
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fault/slip_model/patch_rules.hpp"
#include "solvers/fault/slip_model/read_slip_model.hpp"

namespace kaname::slip_model {
namespace {

constexpr double kSquareMetresPerSquareCm = 1e-4;
constexpr int kMostSamples = 100000;

class SrfReader {
public:
    explicit SrfReader(const TextFile& file) : file_(file) {}

    SlipModel read() {
        read_version();
        while (const TextLine* line = next_if()) {
            const auto cells = cells_of(line->text);
            if (cells[0] == "PLANE") {
                read_planes(*line, count_after(*line, cells));
            } else if (cells[0] == "POINTS") {
                read_points(count_after(*line, cells));
            } else {
                line->refuse("must begin with PLANE or POINTS, as no point is left to read");
            }
        }
        finish();
        return std::move(model_);
    }

private:
    /// A plane of the header: its patches follow along strike, row by row down dip.
    struct Plane {
        std::size_t patches = 0;
        double length_per_width = 1.0;  ///< of a patch
    };

    /// The next line that is no comment.
    const TextLine* next_if() {
        while (at_ < file_.lines().size() && file_.lines()[at_].text.starts_with('#')) {
            ++at_;
        }
        return at_ < file_.lines().size() ? &file_.lines()[at_++] : nullptr;
    }
    const TextLine& next(const std::string& what) {
        const TextLine* line = next_if();
        if (line == nullptr) {
            file_.whole().refuse("ends before its " + what);
        }
        return *line;
    }

    static void expect_cells(const TextLine& line, const std::vector<std::string_view>& cells,
                             std::size_t n, const char* names) {
        if (cells.size() != n) {
            line.refuse("columns: " + std::to_string(cells.size()) + ", must be " +
                        std::to_string(n) + ": " + names);
        }
    }

    static int count_after(const TextLine& line, const std::vector<std::string_view>& cells) {
        expect_cells(line, cells, 2, "a word and how many follow");
        return line.count_in(cells[0], cells[1], 1, kMostPatches);
    }

    void read_version() {
        const TextLine& line = next("version");
        if (line.text != "1.0" && line.text != "2.0") {
            line.refuse("version", line.text, "must be 1.0 or 2.0");
        }
        two_ = line.text == "2.0";
    }

    void read_planes(const TextLine& head, int n) {
        if (!planes_.empty() || !model_.patches.empty()) {
            head.refuse("PLANE stands twice, or behind POINTS");
        }
        for (int plane = 0; plane < n; ++plane) {
            const TextLine& sizes = next("planes");
            const auto a = cells_of(sizes.text);
            expect_cells(sizes, a, 6, "ELON ELAT NSTK NDIP LEN WID");
            const TextLine& angles = next("planes");
            const auto b = cells_of(angles.text);
            expect_cells(angles, b, 5, "STK DIP DTOP SHYP DHYP");
            const int n_strike = sizes.count_in("NSTK", a[2], 1, kMostPatches);
            const int n_dip = sizes.count_in("NDIP", a[3], 1, kMostPatches);
            const double length = positive(sizes, "LEN", a[4]),
                         width = positive(sizes, "WID", a[5]);
            planes_.push_back({static_cast<std::size_t>(n_strike) * static_cast<std::size_t>(n_dip),
                               length / n_strike * n_dip / width});
            const double strike = angles.number_of("STK", b[0]),
                         dip = angles.number_of("DIP", b[1]);
            model_.segments.push_back({strike - 360.0 * std::floor(strike / 360.0), dip});
            set_hypocentre({sizes.number_of("ELON", a[0]), sizes.number_of("ELAT", a[1]),
                            kMetresPerKm * angles.number_of("DTOP", b[2])},
                           model_.segments.back(), angles.number_of("SHYP", b[3]),
                           angles.number_of("DHYP", b[4]));
        }
    }

    static double positive(const TextLine& line, const char* field, std::string_view cell) {
        const double value = line.number_of(field, cell);
        if (value <= 0.0) {
            line.refuse(field, cell, "must be > 0");
        }
        return value;
    }

    /// SHYP km along strike and DHYP km down dip from the middle of the upper edge; -999 where the
    /// hypocentre is in another plane.
    void set_hypocentre(const Place& top, const SlipSegment& plane, double along_km,
                        double down_km) {
        constexpr double kElsewhere = -900.0;
        if (along_km < kElsewhere || down_km < kElsewhere || model_.hypocentre) {
            return;
        }
        const PlaneAxes axes = plane_axes(plane.strike_deg * kDegree, plane.dip_deg * kDegree);
        const Place at = moved(top, (kMetresPerKm * along_km) * axes.along_strike +
                                        (kMetresPerKm * down_km) * axes.down_dip);
        model_.hypocentre = {{at.lon_deg, at.lat_deg, at.depth_m}};
    }

    void read_points(int n) {
        for (int point = 0; point < n; ++point) {
            while (!planes_.empty() && in_plane_ == planes_[plane_].patches) {
                if (++plane_ == planes_.size()) {
                    file_.whole().refuse("POINTS: more than NSTK NDIP of all planes");
                }
                in_plane_ = 0;
            }
            read_point(next("last point"));
            ++in_plane_;
        }
    }

    void read_point(const TextLine& line) {
        refuse_more_rates();
        const auto a = cells_of(line.text);
        expect_cells(line, a, two_ ? 10 : 8,
                     two_ ? "LON LAT DEP STK DIP AREA TINIT DT VS DEN"
                          : "LON LAT DEP STK DIP AREA TINIT DT");
        SlipPatch patch;
        const std::string number = std::to_string(in_plane_ + 1);
        patch.id = plane_ > 0 ? std::to_string(plane_ + 1) + "/" + number : number;
        patch.segment = static_cast<int>(plane_);
        patch.lon_deg = line.number_of("LON", a[0]);
        patch.lat_deg = line.number_of("LAT", a[1]);
        patch.depth_m = kMetresPerKm * line.number_of("DEP", a[2]);
        patch.strike_deg = line.number_of("STK", a[3]);
        patch.dip_deg = line.number_of("DIP", a[4]);
        const double area_m2 = kSquareMetresPerSquareCm * positive(line, "AREA", a[5]);
        const double ratio = planes_.empty() ? 1.0 : planes_[plane_].length_per_width;
        patch.width_m = std::sqrt(area_m2 / ratio);
        patch.length_m = area_m2 / patch.width_m;
        patch.rupture_time_s = line.number_of("TINIT", a[6]);
        const double interval_s = line.number_of("DT", a[7]);
        read_slip(patch, interval_s, line, a[7]);
        if (two_) {
            const double vs_m_per_s = kMetresPerCm * line.number_of("VS", a[8]);
            const double density = 1e3 * line.number_of("DEN", a[9]);
            if (vs_m_per_s > 0.0 && density > 0.0) {  // -1: not stated
                patch.moment_nm = density * vs_m_per_s * vs_m_per_s * area_m2 * patch.slip_m;
            }
        }
        add_patch(model_, std::move(patch), line);
    }

    void read_slip(SlipPatch& patch, double interval_s, const TextLine& head,
                   std::string_view interval) {
        const TextLine& line = next("slip");
        const auto cells = cells_of(line.text);
        expect_cells(line, cells, 7, "RAKE SLIP1 NT1 SLIP2 NT2 SLIP3 NT3");
        const double rake_deg = line.number_of("RAKE", cells[0]);
        std::array<double, 3> slip_m{};
        for (int k = 0; k < 3; ++k) {
            const std::string name = std::to_string(k + 1);
            slip_m[k] = kMetresPerCm * line.number_of("SLIP" + name, cells[1 + 2 * k]);
            const int n = line.count_in("NT" + name, cells[2 + 2 * k], 0, kMostSamples);
            if (n > 0 && interval_s <= 0.0) {
                head.refuse("DT", interval, "must be > 0");
            }
            std::vector<double> rates = read_rates("SR" + name, n);
            if (slip_m[k] != 0.0 && k < 2) {
                SlipRate rate{slip_m[k], rake_deg + 90.0 * k, interval_s, std::move(rates)};
                check_sum(rate, "SLIP" + name, line);
                patch.rates.push_back(std::move(rate));
            }
        }
        patch.slip_m = std::hypot(slip_m[0], slip_m[1]);
        patch.rake_deg = rake_deg;
        if (patch.slip_m > 0.0) {
            patch.rake_deg += std::atan2(slip_m[1], slip_m[0]) / kDegree;
        }
        patch.opening_m = slip_m[2];
    }

    /// n numbers, on as many lines as they take.
    std::vector<double> read_rates(const std::string& name, int n) {
        std::vector<double> rates;
        rates.reserve(static_cast<std::size_t>(n));
        while (rates.size() < static_cast<std::size_t>(n)) {
            if (cell_ == cells_.size()) {
                rates_line_ = next(name);
                cells_ = cells_of(rates_line_.text);
                cell_ = 0;
            }
            rates.push_back(kMetresPerCm * rates_line_.number_of(name, cells_[cell_++]));
        }
        return rates;
    }

    void check_sum(const SlipRate& rate, const std::string& name, const TextLine& line) {
        double sum = 0.0;
        for (const double value : rate.rate_m_per_s) {
            sum += value * rate.interval_s;
        }
        const double share = sum / rate.slip_m;
        if (!(share > 0.0)) {
            line.refuse(name + ": " + kaname::number(rate.slip_m / kMetresPerCm) +
                        " cm, but its rates add up to " + kaname::number(sum / kMetresPerCm) +
                        " cm: rates must add up to more than 0 where there is slip");
        }
        // Some write rates as shapes whose area is 1, beside the slip that they belong to.
        if (std::abs(sum / kMetresPerCm - 1.0) <= kSumDiffers) {
            shapes_ += std::abs(share - 1.0) > kSumDiffers ? 1 : 0;
        } else {
            differing_ += std::abs(share - 1.0) > kSumDiffers ? 1 : 0;
        }
    }

    void refuse_more_rates() const {
        if (cell_ != cells_.size()) {
            rates_line_.refuse("holds more numbers than NT1 + NT2 + NT3");
        }
    }

    void finish() {
        refuse_more_rates();
        if (planes_.empty()) {
            split_into_segments(model_);
        } else if (plane_ + 1 != planes_.size() || in_plane_ != planes_[plane_].patches) {
            file_.whole().refuse("POINTS: fewer than NSTK NDIP of all planes");
        }
        if (shapes_ > 0) {
            model_.warnings.push_back("rates of " + std::to_string(shapes_) +
                                      " series are shapes that add up to 1 cm; the slip is the one "
                                      "stated");
        }
        if (differing_ > 0) {
            model_.warnings.push_back("rates of " + std::to_string(differing_) +
                                      " series add up to a slip that differs by over 5 % from the "
                                      "one stated; the one stated is used");
        }
    }

    const TextFile& file_;
    bool two_ = false;
    std::size_t at_ = 0;
    std::vector<Plane> planes_;
    std::size_t plane_ = 0, in_plane_ = 0;  // of the point being read
    TextLine rates_line_;
    std::vector<std::string_view> cells_;
    std::size_t cell_ = 0;
    int differing_ = 0, shapes_ = 0;
    SlipModel model_;
};

}  // namespace

SlipModel read_srf(const TextFile& file) {
    return SrfReader(file).read();
}

}  // namespace kaname::slip_model
