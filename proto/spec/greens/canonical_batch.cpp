// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/greens/canonical_batch.hpp"

#include "proto/spec/greens/defaults.hpp"
#include "solvers/base/sha256.hpp"

namespace kaname::spec {

std::string canonical_json(const v1::GreensBatch& batch) {
    v1::GreensBatch complete = batch;
    fill_defaults(complete);
    return canonical_text(complete);
}

std::string content_hash(const v1::GreensBatch& batch) {
    v1::GreensBatch unlabelled = batch;
    unlabelled.clear_name();
    unlabelled.clear_description();
    return sha256_hex(canonical_json(unlabelled));
}

}  // namespace kaname::spec
