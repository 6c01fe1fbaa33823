// SPDX-License-Identifier: BSD-3-Clause
// Reads FFM.geojson of the US Geological Survey: a polygon per patch, whose corners have longitude,
// latitude and depth in metres, with slip [m], rake [deg], sf_moment [N m], trup and rise [s].
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "solvers/base/units.hpp"
#include "solvers/fault/slip_model/patch_rules.hpp"
#include "solvers/fault/slip_model/read_slip_model.hpp"

#ifdef KANAME_HAVE_JSON
#include <nlohmann/json.hpp>
#endif

namespace kaname::slip_model {

#ifdef KANAME_HAVE_JSON
namespace {

using nlohmann::json;

constexpr double kRounded_m =
    16.0;  // how far two corners of four decimals are off, along and across

/// Reads the patches of one file.
class GeojsonReader {
public:
    explicit GeojsonReader(const TextFile& file) : file_(file) {}

    SlipModel read() {
        json root;
        try {
            std::string text;
            for (const TextLine& line : file_.lines()) {
                text += std::string(line.text) + '\n';
            }
            root = json::parse(text);
        } catch (const json::exception& error) {
            file_.whole().refuse(std::string("is not JSON: ") + error.what());
        }
        const json* features = at(root, "features");
        if (features == nullptr || !features->is_array()) {
            file_.whole().refuse("features: must be the list of patches of a FeatureCollection");
        }
        for (std::size_t k = 0; k < features->size(); ++k) {
            name_ = std::string(file_.whole().file) + ": features[" + std::to_string(k) + "]";
            line_ = {name_, 0, {}};
            read_patch((*features)[k]);
        }
        make_segments();
        read_metadata(root);
        return std::move(model_);
    }

private:
    /// The value behind a path of keys; null where one of them is not there.
    static const json* at(const json& from, const std::string& key) {
        const auto found = from.is_object() ? from.find(key) : from.end();
        return found == from.end() ? nullptr : &*found;
    }

    static std::optional<double> number_at(const json& from, const std::string& key) {
        const json* value = at(from, key);
        return value != nullptr && value->is_number() ? std::optional(value->get<double>())
                                                      : std::nullopt;
    }

    [[nodiscard]] double needed(const json& from, const std::string& key) const {
        const auto value = number_at(from, key);
        if (!value || !std::isfinite(*value)) {
            line_.refuse(key + ": must be given, a finite number");
        }
        return *value;
    }

    [[nodiscard]] std::array<Place, 4> corners_of(const json& feature) const {
        const json* geometry = at(feature, "geometry");
        const json* rings = geometry == nullptr ? nullptr : at(*geometry, "coordinates");
        const bool ring =
            rings != nullptr && rings->is_array() && !rings->empty() && (*rings)[0].is_array();
        const std::size_t n = ring ? (*rings)[0].size() : 0;
        if ((n != 4 && n != 5) || (n == 5 && (*rings)[0][0] != (*rings)[0][4])) {
            line_.refuse("geometry: must be a polygon of four corners, the first of them repeated");
        }
        std::array<Place, 4> corners;
        for (std::size_t k = 0; k < 4; ++k) {
            const json& corner = (*rings)[0][k];
            if (!corner.is_array() || corner.size() != 3 ||
                !std::ranges::all_of(corner, [](const json& x) { return x.is_number(); })) {
                line_.refuse("geometry: a corner must be longitude, latitude, depth in metres");
            }
            corners[k] = {corner[0].get<double>(), corner[1].get<double>(),
                          corner[2].get<double>()};
        }
        return corners;
    }

    void read_patch(const json& feature) {
        const std::array<Place, 4> corners = corners_of(feature);
        SlipPatch patch = patch_of_corners(corners, line_);
        // A vertical patch dips either way: its first edge goes along strike.
        constexpr double kVertical_deg = 89.0;  // but for what corners are rounded by
        const Vec3 edge = local_offset(corners[0], corners[1]);
        const double azimuth_deg = std::atan2(edge.x, edge.y) / kDegree;
        if (patch.dip_deg > kVertical_deg &&
            std::cos((azimuth_deg - patch.strike_deg) * kDegree) < 0.0) {
            patch.strike_deg += 180.0;
            patch.dip_deg = 90.0;
        }
        const json* found = at(feature, "properties");
        const json& properties = found == nullptr ? feature : *found;
        patch.id = std::to_string(model_.patches.size() + 1);
        patch.slip_m = needed(properties, "slip");
        patch.rake_deg = needed(properties, "rake");
        patch.rupture_time_s = number_at(properties, "trup");
        patch.rise_time_s = number_at(properties, "rise");
        patch.moment_nm = number_at(properties, "sf_moment");
        add_patch(model_, patch, line_);
    }

    /// Returns true if two patches have one plane and size, as far as rounded corners show.
    static bool alike(const SlipPatch& a, const SlipPatch& b) {
        const double side_m = std::min({a.length_m, a.width_m, b.length_m, b.width_m});
        const double turned = 1.0 + std::atan(kRounded_m / side_m) / kDegree;
        const double longer = 0.01 + kRounded_m / side_m;
        return std::abs(std::remainder(a.strike_deg - b.strike_deg, 360.0)) <= turned &&
               std::abs(a.dip_deg - b.dip_deg) <= turned &&
               std::abs(a.length_m / b.length_m - 1.0) <= longer &&
               std::abs(a.width_m / b.width_m - 1.0) <= longer;
    }

    /// Makes a segment of each run of like patches, all of which get the run's mean shape: that of
    /// one is rounded.
    void make_segments() {
        std::vector<SlipPatch>& patches = model_.patches;
        for (std::size_t first = 0, end = 0; first < patches.size(); first = end) {
            SlipPatch mean = patches[first];
            double turned = 0.0;
            mean.dip_deg = mean.length_m = mean.width_m = 0.0;
            for (end = first; end < patches.size() && alike(patches[first], patches[end]); ++end) {
                turned +=
                    std::remainder(patches[end].strike_deg - patches[first].strike_deg, 360.0);
                mean.dip_deg += patches[end].dip_deg;
                mean.length_m += patches[end].length_m;
                mean.width_m += patches[end].width_m;
            }
            const double share = 1.0 / static_cast<double>(end - first);
            for (std::size_t k = first; k < end; ++k) {
                patches[k].strike_deg = mean.strike_deg + share * turned;
                patches[k].dip_deg = share * mean.dip_deg;
                patches[k].length_m = share * mean.length_m;
                patches[k].width_m = share * mean.width_m;
                patches[k].segment = static_cast<int>(model_.segments.size());
            }
            model_.segments.push_back({patches[first].strike_deg, patches[first].dip_deg});
        }
    }

    void read_metadata(const json& root) {
        const json* metadata = at(root, "metadata");
        const json* epicentre = metadata == nullptr ? nullptr : at(*metadata, "epicenter");
        if (epicentre == nullptr) {
            return;
        }
        if (const json* where = at(*epicentre, "location");
            where != nullptr && where->is_string()) {
            model_.name = where->get<std::string>();
        }
        model_.published_moment_nm = number_at(*epicentre, "moment");
        model_.published_mw = number_at(*epicentre, "mag");
        const auto lon = number_at(*epicentre, "lon"), lat = number_at(*epicentre, "lat");
        const auto depth_km = number_at(*epicentre, "depth");
        if (lon && lat && depth_km) {
            model_.hypocentre = {{*lon, *lat, kMetresPerKm * *depth_km}};
        }
    }

    const TextFile& file_;
    std::string name_;  // the file and the patch being read
    TextLine line_;
    SlipModel model_;
};

}  // namespace

SlipModel read_usgs_geojson(const TextFile& file) {
    return GeojsonReader(file).read();
}
#else
SlipModel read_usgs_geojson(const TextFile& file) {
    file.whole().refuse(
        "format: usgs_geojson needs nlohmann's JSON library, which this build is without "
        "(configure "
        "with KANAME_JSON=ON)");
}
#endif

}  // namespace kaname::slip_model
