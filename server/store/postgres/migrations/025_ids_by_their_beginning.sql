-- SPDX-License-Identifier: BSD-3-Clause
-- A job is found by the first characters of its id, whatever the collation of the database.

create index job_id_beginning on job ((job_id collate "C"));
