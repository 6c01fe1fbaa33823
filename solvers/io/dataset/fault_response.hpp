// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "solvers/h5/file.hpp"
#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::io {

/// Holds the response of the whole fault to forces at the stations of a dataset. By reciprocity it
/// gives the motion due to any slip on the fault without mesh and solves. R forces, E epochs of the
/// dataset, B split nodes of the fault in the order of fault::SplitNodes.
struct FaultResponse {
    struct Force {
        std::string id;               ///< "STATION/east", "/north", "/up", "/look"
        std::int32_t station = 0;     ///< index of the dataset's station
        std::int32_t component = -1;  ///< 0 east, 1 north, 2 up; -1: along the station's look
        double along[3] = {};         ///< true east, north, up
        std::string failure;          ///< empty when done
        std::int64_t iterations = 0;  ///< of all its solves
        std::int64_t solves = 0;
    };
    std::vector<Force> forces;
    std::int64_t n_nodes = 0;
    /// [R][E][B][3] m at the station along the force per m of slip at a node (plus side relative to
    /// the other, in the frame of the mesh); NaN of a force that has failed.
    std::vector<double> traction;
    /// The elements that touch the fault, as a mesh of their own; its split nodes are those above.
    mesh::TetMesh around;
};

/// The part of a mesh that FaultResponse keeps: elements with a vertex on a fault, their vertices
/// in the order of the mesh's, so that split nodes keep their order too.
[[nodiscard]] mesh::TetMesh around_faults(const mesh::TetMesh& mesh);

/// Group fault_response (docs/user/dataset.md).
void write_fault_response(h5::File& file, const FaultResponse& response,
                          std::span<const double> epochs_s);
/// Throws InvalidArgument naming the file where it has none, or of wrong sizes.
[[nodiscard]] FaultResponse read_fault_response(const std::string& path);

}  // namespace kaname::io
