PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE migrations
  (id int not null primary key, name text not null, applied_at text not null default current_timestamp);
INSERT INTO migrations VALUES(1,'rate limits','2026-11-23 05:53:35');
INSERT INTO migrations VALUES(2,'system','2026-11-23 05:53:35');
CREATE TABLE rate_limits (
      key_id text not null primary key,
      whole_at integer not null
    ) strict;
INSERT INTO rate_limits VALUES('sign-in from 127.0.0.1',1795413246813000);
INSERT INTO rate_limits VALUES('sign-in 39b79a9c261dd1148365df50cabfbd5e from 127.0.0.1',1795413306813000);
INSERT INTO rate_limits VALUES('sign-in 39b79a9c261dd1148365df50cabfbd5e',1795413252813000);
INSERT INTO rate_limits VALUES('sign-in 84af2ecad23f56eb588301381c98d0ed from 127.0.0.1',1795413306927000);
INSERT INTO rate_limits VALUES('sign-in 84af2ecad23f56eb588301381c98d0ed',1795413252927000);
CREATE TABLE request_minutes (
      minute integer not null,
      environment text not null,
      errors integer not null,
      within_0 integer not null,
      within_1 integer not null,
      within_2 integer not null,
      within_3 integer not null,
      within_4 integer not null,
      within_5 integer not null,
      within_6 integer not null,
      within_7 integer not null,
      within_8 integer not null,
      within_9 integer not null,
      within_10 integer not null,
      within_11 integer not null,
      within_12 integer not null,
      within_13 integer not null,
      within_14 integer not null,
      within_15 integer not null,
      primary key (minute, environment)
    ) strict;
INSERT INTO request_minutes VALUES(29923553,'management',0,0,0,0,0,0,1,4,2,2,1,3,1,0,0,0,0);
INSERT INTO request_minutes VALUES(29923553,'production',0,0,0,0,0,0,3,3,6,1,0,1,0,0,0,0,0);
CREATE TABLE processes (
      id text not null primary key,
      node text not null,
      pid integer not null,
      started_at integer not null,
      seen_at integer not null
    ) strict;
COMMIT;
