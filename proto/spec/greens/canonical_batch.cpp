// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/greens/canonical_batch.hpp"

#include "proto/spec/greens/defaults.hpp"
#include "proto/spec/greens/volumes.hpp"
#include "solvers/base/sha256.hpp"

namespace kaname::spec {

std::string canonical_json(const v1::GreensBatch& batch) {
    v1::GreensBatch complete = batch;
    fill_defaults(complete);
    return canonical_text(complete);
}

std::string key_text(const v1::GreensBatch& batch) {
    std::string text = canonical_json(batch);
    if (!batch.mesh().has_file() && !has_volumes(batch)) {
        // After growth, which is never left out, in alphabetical order.
        const std::string mesh = R"("mesh":{"growth":)";
        text.insert(text.find_first_of(",}", text.find(mesh) + mesh.size()),
                    R"(,"layers_above":5,"layers_below":8)");
    }
    return text;
}

std::string content_hash(const v1::GreensBatch& batch) {
    v1::GreensBatch unlabelled = batch;
    unlabelled.clear_name();
    unlabelled.clear_description();
    return sha256_hex(key_text(unlabelled));
}

}  // namespace kaname::spec
