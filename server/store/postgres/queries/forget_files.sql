-- SPDX-License-Identifier: BSD-3-Clause
with results as (
    delete from artifact where sha256 = any ($1::text[])
)
delete from loose_file where sha256 = any ($1::text[])
