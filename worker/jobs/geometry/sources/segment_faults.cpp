// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/sources/segment_faults.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "solvers/base/units.hpp"

namespace kaname::jobs {
namespace {

constexpr std::size_t kMostAsked = 200;      // patches of a segment that choose the nearest fault
constexpr std::size_t kMostMeasured = 2000;  // patches of a segment whose distance is measured
constexpr double kAll = 0.999999;            // of a model's potency
constexpr double kWorthANote = 0.05;         // distance of patches from the fault, in their widths

/// Part is a patch or a point of a slip model, with its place and the potency of its slip.
struct Part {
    Vec3 at, normal;
    double width_m = 0.0;  ///< 0 of a point, which has no orientation
    double max_distance_m = kInf;
    double potency_m3 = 0.0;
};

std::vector<std::vector<Part>> parts_of(const ScenarioModel& model) {
    if (model.points) {
        std::vector<Part> parts;
        for (std::size_t k = 0; k < model.points->places.size(); ++k) {
            parts.push_back({.at = model.points->places[k],
                             .normal = {},
                             .potency_m3 = norm(model.points->slip[k])});
        }
        return {parts};
    }
    std::vector<std::vector<Part>> segments(model.placed.segments.size());
    for (const slip_model::PlacedPatch& patch : model.placed.patches) {
        std::vector<Part>& parts = segments.at(static_cast<std::size_t>(patch.segment));
        // As SlipSampler: the width of the segment's first patch.
        const double reach = model.source->max_distance_m > 0.0 ? model.source->max_distance_m
                             : parts.empty()                    ? patch.width_m
                                                                : parts.front().max_distance_m;
        parts.push_back({patch.centre, patch.normal(), patch.width_m, reach,
                         patch.area_m2() * norm(patch.slip_m)});
    }
    return segments;
}

double misfit(const std::vector<Part>& parts, int fault, const DistanceToFault& distance) {
    const std::size_t stride = std::max<std::size_t>(1, parts.size() / kMostAsked);
    double sum = 0.0, weights = 0.0;
    for (std::size_t k = 0; k < parts.size(); k += stride) {
        const Part& part = parts[k];
        const NearFault near = distance(fault, part.at);
        const double turned = norm(cross(part.normal, near.normal));
        const double weight = part.potency_m3 + 1e-6;
        sum += weight * (near.distance_m + 0.5 * part.width_m * turned);
        weights += weight;
    }
    return sum / weights;
}

std::string kilometres(double metres) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g km", std::round(metres) / 1000.0);
    return text;
}

}  // namespace

std::vector<SegmentFault> segments_on_faults(const ScenarioModel& model, int n_faults,
                                             const DistanceToFault& distance,
                                             const std::vector<int>& given) {
    std::vector<SegmentFault> taken;
    for (const std::vector<Part>& parts : parts_of(model)) {
        SegmentFault& segment = taken.emplace_back();
        if (!given.empty()) {
            segment.fault = std::max(given[taken.size() - 1], 0);
        }
        double least = kInf;
        for (int fault = 0; fault < n_faults && n_faults > 1 && given.empty() && !parts.empty();
             ++fault) {
            const double here = misfit(parts, fault, distance);
            if (here < least) {
                least = here;
                segment.fault = fault;
            }
        }
        // Where there are very many patches, some stand for all.
        const std::size_t stride = std::max<std::size_t>(1, parts.size() / kMostMeasured);
        for (std::size_t k = 0; k < parts.size(); k += stride) {
            const Part& part = parts[k];
            if (part.potency_m3 == 0.0) {
                continue;
            }
            const double far = distance(segment.fault, part.at).distance_m;
            segment.farthest_m = std::max(segment.farthest_m, far);
            segment.lost_potency_m3 +=
                far > part.max_distance_m ? static_cast<double>(stride) * part.potency_m3 : 0.0;
        }
    }
    return taken;
}

DistanceToFault distance_in_mesh(const mesh::TetMesh& mesh) {
    struct Face {
        Vec3 centre, normal;
        double edge_m;
    };
    std::vector<std::vector<Face>> faces(mesh.faults.size());
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        const auto& [a, b, c] = face.vertices;
        const Vec3 &p = mesh.xyz[a], &q = mesh.xyz[b], &r = mesh.xyz[c];
        faces.at(static_cast<std::size_t>(face.fault))
            .push_back({(1.0 / 3.0) * (p + q + r), normalized(cross(q - p, r - p)),
                        std::max({norm(q - p), norm(r - q), norm(p - r)})});
    }
    return [faces = std::move(faces)](int fault, const Vec3& x) {
        const Face* nearest = nullptr;
        double least = kInf;
        for (const Face& face : faces[static_cast<std::size_t>(fault)]) {
            const Vec3 off = x - face.centre;
            if (dot(off, off) < least) {
                least = dot(off, off);
                nearest = &face;
            }
        }
        if (nearest == nullptr) {
            return NearFault{kInf, {}};
        }
        const double across = dot(x - nearest->centre, nearest->normal);
        const double along = norm(x - nearest->centre - across * nearest->normal) - nearest->edge_m;
        return NearFault{std::hypot(across, std::max(along, 0.0)), nearest->normal};
    };
}

SegmentNotes notes_of_segments(std::span<const ScenarioModel> models,
                               const std::vector<std::vector<SegmentFault>>& taken,
                               const std::vector<std::string>& faults) {
    SegmentNotes found;
    for (std::size_t m = 0; m < models.size(); ++m) {
        const std::string& field = models[m].source->field;
        double lost_m3 = 0.0;
        double farthest_m = 0.0;
        for (std::size_t s = 0; s < taken[m].size(); ++s) {
            const SegmentFault& segment = taken[m][s];
            lost_m3 += segment.lost_potency_m3;
            farthest_m = std::max(farthest_m, segment.farthest_m);
            if (faults.size() > 1) {
                found.notes.push_back(field + ": segment " + std::to_string(s + 1) +
                                      " slips on fault '" +
                                      faults[static_cast<std::size_t>(segment.fault)] +
                                      "', at most " + kilometres(segment.farthest_m) + " from it");
            }
        }
        const bool patches = !models[m].placed.patches.empty();
        const double width_m = patches ? models[m].placed.patches.front().width_m : 0.0;
        if (faults.size() == 1 && patches && farthest_m > kWorthANote * width_m) {
            found.notes.push_back(field + ": its patches lie up to " + kilometres(farthest_m) +
                                  " from the fault, which takes their slip");
        }
        if (lost_m3 > 0.0) {
            const double lost = lost_m3 / models[m].sampler->given_potency_m3();
            if (lost > kAll) {
                found.refused.push_back(
                    {field,
                     "must slip on the fault: all patches that slip lie farther from it "
                     "than max_distance, up to " +
                         kilometres(farthest_m)});
                continue;
            }
            char share[32];
            std::snprintf(share, sizeof share, "%.3g %%", 100.0 * lost);
            found.lost.push_back(field + ": patches with " + share +
                                 " of its potency lie farther from the fault than max_distance, up "
                                 "to " +
                                 kilometres(farthest_m) + ": their slip is lost");
        }
    }
    return found;
}

}  // namespace kaname::jobs
