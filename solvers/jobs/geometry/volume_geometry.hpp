// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "solvers/base/vec3.hpp"
#include "solvers/earth/volume_model.hpp"
#include "solvers/meshing/box_frame.hpp"

namespace kaname::jobs {

/// A volume model seen from the map frame, in which faults, stations and meshes are.
class VolumeGeometry {
public:
    VolumeGeometry(std::shared_ptr<const earth::VolumeModel> model, double azimuth_rad)
        : model_(std::move(model)), frame_(azimuth_rad) {}

    [[nodiscard]] const std::shared_ptr<const earth::VolumeModel>& model() const { return model_; }
    /// Index of a surface. Throws InvalidArgument where there is none of that name.
    [[nodiscard]] int surface(const std::string& name) const;
    [[nodiscard]] double height_m(int surface, double x, double y) const {
        return field(surface).z(frame_.b(x, y), frame_.a(x, y));
    }
    /// The surface rests on its file's data there, neither extended nor limited.
    [[nodiscard]] bool has_data(int surface, double x, double y) const {
        const auto& data = model_->surfaces[static_cast<std::size_t>(surface)].data;
        return data == nullptr || data->at(frame_.b(x, y), frame_.a(x, y));
    }
    /// Rise of a surface per metre along a horizontal unit vector.
    [[nodiscard]] double slope_along(int surface, const Vec3& x, const Vec3& direction) const;
    [[nodiscard]] double ground_m(double x, double y) const { return height_m(0, x, y); }
    [[nodiscard]] double highest_ground_m() const { return field(0).highest(); }
    [[nodiscard]] bool flat_ground() const { return field(0).constant(); }
    /// Material of the volume at a point; above the ground, that of the volume at the ground.
    [[nodiscard]] const earth::Material& material(const Vec3& x) const;
    [[nodiscard]] double mu_pa(const Vec3& x) const { return material(x).mu_pa; }

private:
    [[nodiscard]] const earth::HeightField& field(int surface) const {
        return model_->surfaces[static_cast<std::size_t>(surface)].height;
    }

    std::shared_ptr<const earth::VolumeModel> model_;  // shared with the job and the mesh source
    meshing::BoxFrame frame_;
};

}  // namespace kaname::jobs
