// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "worker/jobs/geometry/domain.hpp"
#include "worker/jobs/geometry/fault_model.hpp"
#include "worker/jobs/geometry/fault_request.hpp"

namespace kaname::jobs {

/// Elements of a mesh of volumes that memory allows to be made; 0 where that is not known.
[[nodiscard]] std::int64_t most_elements();

/// Throws ValidationError (field mesh) where a mesh of volumes of so many elements would take more
/// memory than there is.
void require_room_for(double elements);

struct ElementsAtStations {
    std::vector<StationElements> at;  ///< [stations]
    /// Names the station worst off where layers change a motion by more than 2 %, with the layer,
    /// its elements, and sizes that would do. Layers that relax alike count as one.
    std::vector<std::string> warnings;
    /// Where surfaces are not level, which is not predicted: the station farthest from the faults.
    std::string farthest;
    double farthest_m = 0.0;
};

/// Looks the elements up that a request of a mesh comes to.
[[nodiscard]] ElementsAtStations elements_at_stations(const GreensJob& job, const Domain& domain,
                                                      const cleaving::VolumeMeshParams& request);

/// The mesh of a structure of volumes around faults.
class VolumePlan final : public MeshPlan {
public:
    VolumePlan(const GreensJob& job, const Domain& domain, std::vector<RequestedFault> faults);

    [[nodiscard]] meshing::MeshSource::Count estimate() const override;
    [[nodiscard]] mesh::TetMesh build(const meshing::Progress& progress) const override;
    [[nodiscard]] bool takes_long() const override { return true; }
    [[nodiscard]] std::vector<StationElements> at_stations() const override {
        return at_stations_.at;
    }
    /// Layers that are thin for the elements at a station, and volumes of which the mesh has much
    /// less near the fault than the model has.
    [[nodiscard]] std::vector<std::string> warnings() const override;
    [[nodiscard]] MeshReport report(const mesh::TetMesh& mesh,
                                    const mesh::FaceSet& faces) const override {
        return report_mesh(mesh, faces, &request_);
    }

    [[nodiscard]] const cleaving::VolumeMeshParams& request() const { return request_; }

private:
    [[nodiscard]] ValidationError too_large() const;

    cleaving::VolumeMeshParams request_;
    ElementsAtStations at_stations_;
    std::unique_ptr<meshing::MeshSource> source_;
};

}  // namespace kaname::jobs
