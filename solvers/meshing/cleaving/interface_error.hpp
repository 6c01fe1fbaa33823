// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/meshing/cleaving/size_field.hpp"
#include "solvers/meshing/cleaving/volume_request.hpp"

namespace kaname::cleaving {

/// How far the mesh's interfaces are from the model's, in units of the local element size: what was
/// asked for at the face's centroid or, where that is not known, the edge of the regular
/// tetrahedron of the same volume, mean of both sides (tets that were cut are smaller than asked
/// for). A face counts with the largest distance of its corners, middles of edges and centroid:
/// straight faces against curved surfaces.
struct InterfaceError {
    struct Summary {
        std::int64_t faces = 0;
        double mean = 0.0, p99 = 0.0, max = 0.0;
    };
    struct Surface : Summary {
        std::string name;  ///< name of the model's surface, or of the fault
        bool is_fault = false;
        Summary suited;           ///< the faces where the size suits the layers
        double blunted_m2 = 0.0;  ///< area of a fault's faces that leave its surface
        double max_m = 0.0;       ///< largest distance
        Vec3 worst;  ///< where the largest relative distance is: centroid [m], map frame
    };
    std::vector<Surface> surfaces;  ///< those with faces: the model's in their order, then faults
    Summary all;
    /// Faces where the size suits the layers: on the vertical line through the centroid no layer
    /// that comes nearer than one size to it is thinner than kSuits of the size.
    Summary suited;
};

/// Elements show what is about as thick as themselves, and blunt the rest.
inline constexpr double kSuits = 1.0 / 3.0;

/// Measures the free surface (TetMesh::top), the faces between tets of different volumes, and the
/// fault faces, which count as their fault's only. `faults` in the order of TetMesh::faults.
///
/// At a point x with signed distances d_k = (z - f_k) / sqrt(1 + |grad f_k|^2) a face between the
/// volumes A and B stands for the surfaces to be crossed on the way from x to A and to B, taken
/// from the nearest on: its distance is the smallest |d_k| of these where none is farther than one
/// element (so that a face inside a layer that merged with its neighbours may follow either of the
/// layer's surfaces), else the largest.
/// With all threads; throws InvalidArgument when mesh and model disagree about volumes or faults.
[[nodiscard]] InterfaceError measure_interface_error(const mesh::TetMesh& mesh,
                                                     const earth::VolumeModel& model,
                                                     std::span<const FaultRequest> faults,
                                                     double azimuth_rad,
                                                     const SizeField* sizes = nullptr);

}  // namespace kaname::cleaving
