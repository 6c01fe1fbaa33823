-- SPDX-License-Identifier: BSD-3-Clause
select store_id, place from artifact_store
