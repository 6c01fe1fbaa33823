-- SPDX-License-Identifier: BSD-3-Clause
-- $1 GPUs that a worker registers, $2 its host
with cordoned as (
    update cordon set host = $2
    where kind = 'gpu' and value = any ($1::text[]) and host <> $2
)
update drain set host = $2
where kind = 'gpu' and value = any ($1::text[]) and host <> $2
