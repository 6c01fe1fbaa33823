-- SPDX-License-Identifier: BSD-3-Clause
with faults as (
    delete from gpu_fault where gpu_uuid = $1
)
delete from cordon where kind = 'gpu' and value = $1
returning 1
