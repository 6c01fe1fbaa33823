-- SPDX-License-Identifier: BSD-3-Clause
insert into job (job_id, owner, name, spec, estimate, priority, n_total, n_live, n_sources,
                 traceparent)
values ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9)
