// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/earth/volume_layout.hpp"

namespace kaname::earth {

constexpr double kKm = 1000.0;

/// Files of a test and models over 135 E, 34 N.
class ModelFiles : public testing::Test {
protected:
    std::string write(const std::string& name, const std::string& text) const {
        const std::string path = (folder_.path() / name).string();
        std::ofstream(path) << text;
        return path;
    }
    /// Rows of depth_km at every `step` degrees of 133..137 E, 32..36 N; NaN is a gap.
    std::string write_grid(const std::string& name,
                           const std::function<double(double, double)>& depth_km,
                           double step = 0.1) const {
        std::ostringstream text;
        text.precision(12);
        text << "lon_deg,lat_deg,depth_km\n";
        const int n = static_cast<int>(std::lround(4.0 / step));
        for (int j = 0; j <= n; ++j) {
            for (int i = 0; i <= n; ++i) {
                const double lon = 133.0 + i * step;
                const double lat = 32.0 + j * step;
                const double depth = depth_km(lon, lat);
                text << lon << ',' << lat << ',';
                std::isnan(depth) ? text << "nan\n" : text << depth << '\n';
            }
        }
        return write(name, text.str());
    }

    static SurfaceDefinition flat(const std::string& name, double depth_m) {
        SurfaceDefinition surface;
        surface.name = name;
        surface.depth_m = depth_m;
        return surface;
    }
    static SurfaceDefinition gridded(const std::string& name, const std::string& path) {
        SurfaceDefinition surface;
        surface.name = name;
        surface.path = path;
        return surface;
    }
    static SurfaceDefinition below(const std::string& name, const std::string& base,
                                   double thickness_m) {
        SurfaceDefinition surface;
        surface.name = name;
        surface.below = base;
        surface.thickness_m = thickness_m;
        return surface;
    }
    static VolumeDefinition volume(const std::string& name, const std::string& top,
                                   const std::string& bottom, int material = 0) {
        VolumeDefinition volume;
        volume.name = name;
        volume.top = top;
        volume.bottom = bottom;
        volume.material = material;
        return volume;
    }
    /// 200 x 200 x 100 km with two materials and the fields named as a job's.
    static VolumeLayout model(std::vector<SurfaceDefinition> surfaces,
                              std::vector<VolumeDefinition> volumes) {
        VolumeLayout layout;
        layout.size_u_m = layout.size_v_m = 200.0 * kKm;
        layout.depth_m = 100.0 * kKm;
        layout.materials.resize(2);
        layout.surfaces = std::move(surfaces);
        layout.volumes = std::move(volumes);
        for (std::size_t k = 0; k < layout.surfaces.size(); ++k) {
            layout.surfaces[k].field = "structure.surfaces[" + std::to_string(k) + "]";
        }
        for (std::size_t k = 0; k < layout.volumes.size(); ++k) {
            layout.volumes[k].field = "structure.volumes[" + std::to_string(k) + "]";
        }
        return layout;
    }

    [[nodiscard]] BuiltVolumeModel build(const VolumeLayout& layout) const {
        return build_volume_model(layout, projection_);
    }
    /// All violations as lines "field: message".
    [[nodiscard]] std::string refusal(const VolumeLayout& layout) const {
        try {
            (void)build(layout);
        } catch (const ValidationError& error) {
            return error.what();
        }
        ADD_FAILURE() << "no error";
        return {};
    }
    static void expect_text(const std::string& text, const std::vector<std::string>& parts) {
        for (const std::string& part : parts) {
            EXPECT_NE(text.find(part), std::string::npos) << part << " is not in:\n" << text;
        }
    }

    TemporaryFolder folder_;
    Projection projection_{{135.0, 34.0}};
};

}  // namespace kaname::earth
