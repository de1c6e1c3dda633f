PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE migrations
  (id int not null primary key, name text not null, applied_at text not null default current_timestamp);
INSERT INTO migrations VALUES(1,'store','2026-11-23 05:53:35');
INSERT INTO migrations VALUES(2,'categories and orders','2026-11-23 05:53:35');
INSERT INTO migrations VALUES(3,'webhooks','2026-11-23 05:53:35');
INSERT INTO migrations VALUES(4,'deprecated calls','2026-11-23 05:53:35');
CREATE TABLE store_state (
      id integer not null primary key check (id = 1),
      content_version integer not null,
      keys_version integer not null,
      last_pet_id integer not null,
      available integer not null,
      pending integer not null,
      sold integer not null,
      initialised integer not null
    , last_category_id integer not null default 0, categories integer not null default 0, last_order_id integer not null default 0, placed integer not null default 0, approved integer not null default 0, delivered integer not null default 0, cancelled integer not null default 0, active_webhooks integer not null default 0, last_event_id integer not null default 0) strict;
INSERT INTO store_state VALUES(1,12,1,12,4,4,4,1,0,0,0,0,0,0,0,0,0);
CREATE TABLE pets (
      id integer not null primary key,
      name text not null,
      category_id integer not null,
      status text not null check (status in ('available', 'pending', 'sold'))
    ) strict;
INSERT INTO pets VALUES(1,'Animal 1 🐾',1,'pending');
INSERT INTO pets VALUES(2,'Animal 2 🐾',2,'sold');
INSERT INTO pets VALUES(3,'Animal 3 🐾',0,'available');
INSERT INTO pets VALUES(4,'Animal 4 🐾',1,'pending');
INSERT INTO pets VALUES(5,'Animal 5 🐾',2,'sold');
INSERT INTO pets VALUES(6,'Animal 6 🐾',0,'available');
INSERT INTO pets VALUES(7,'Animal 7 🐾',1,'pending');
INSERT INTO pets VALUES(8,'Animal 8 🐾',2,'sold');
INSERT INTO pets VALUES(9,'Animal 9 🐾',0,'available');
INSERT INTO pets VALUES(10,'Animal 10 🐾',1,'pending');
INSERT INTO pets VALUES(11,'Animal 11 🐾',2,'sold');
INSERT INTO pets VALUES(12,'Animal 12 🐾',0,'available');
CREATE TABLE api_keys (
      id text not null primary key,
      lineage text not null,
      label text not null,
      secret_hash text not null,
      scopes text not null,
      rate_limit text,
      created_at integer not null,
      expires_at integer,
      revoked_at integer,
      last_used_at integer
    , deprecated_calls integer not null default 0, deprecated_at integer) strict;
INSERT INTO api_keys VALUES('LY37YiNI8hFt','LY37YiNI8hFt','first key','7368b15c9ea16795f86520da4b7aa97a129de3730aabdc8e337046de34a6c757','*',NULL,1795413215641,NULL,NULL,1795413217432,1,1795413217432);
CREATE TABLE idempotency_keys (
      scope text not null,
      key text not null,
      fingerprint text not null,
      status integer not null,
      location text not null,
      body text not null,
      created_at integer not null,
      primary key (scope, key)
    ) strict;
INSERT INTO idempotency_keys VALUES('LY37YiNI8hFt','pet-1','juzDfVtMTQJys9_3nuIMoMk3pwcotk7Ik_tLvh2Ye5k',201,'/pets/1','{"id":1,"name":"Animal 1 🐾","categoryId":1,"status":"pending"}',1795413216477);
INSERT INTO idempotency_keys VALUES('LY37YiNI8hFt','pet-2','po3NoIzTghXU7oyXUIMAtQOgY-7o7Zsc7H6vKHEExLA',201,'/pets/2','{"id":2,"name":"Animal 2 🐾","categoryId":2,"status":"sold"}',1795413216588);
INSERT INTO idempotency_keys VALUES('LY37YiNI8hFt','pet-3','c-x5_1zctfWUvVjCVk6uRm0mfXIMj2nIm1-2MqENADM',201,'/pets/3','{"id":3,"name":"Animal 3 🐾","categoryId":0,"status":"available"}',1795413216601);
INSERT INTO idempotency_keys VALUES('LY37YiNI8hFt','pet-4','uVdQjAPSNxg9iCfAUHJVGcfk841N4s8SaXSjgi8z6VY',201,'/pets/4','{"id":4,"name":"Animal 4 🐾","categoryId":1,"status":"pending"}',1795413216618);
INSERT INTO idempotency_keys VALUES('LY37YiNI8hFt','pet-5','275PBX9KJ5KNPKozpInv22_HPuWsBKY7PfWApdwp7E8',201,'/pets/5','{"id":5,"name":"Animal 5 🐾","categoryId":2,"status":"sold"}',1795413216627);
INSERT INTO idempotency_keys VALUES('LY37YiNI8hFt','pet-6','MFRY093Rt8KPq7kKm3NDrMsTH1HS1TOsRrJW_VSmqO0',201,'/pets/6','{"id":6,"name":"Animal 6 🐾","categoryId":0,"status":"available"}',1795413216631);
INSERT INTO idempotency_keys VALUES('LY37YiNI8hFt','pet-7','XhEg6VUKH_nL6QPQbIfmsF2Sunpa53sUuREw4iX9WIo',201,'/pets/7','{"id":7,"name":"Animal 7 🐾","categoryId":1,"status":"pending"}',1795413216637);
INSERT INTO idempotency_keys VALUES('LY37YiNI8hFt','pet-8','PipwIRKWbx1awVFNFRm08MSfG_xdKG58a8N6Z3VwX9k',201,'/pets/8','{"id":8,"name":"Animal 8 🐾","categoryId":2,"status":"sold"}',1795413216641);
INSERT INTO idempotency_keys VALUES('LY37YiNI8hFt','pet-9','jy9mz4xbqMT-q4JyIdhMwOqfuzMvkndHlEszz5rl4Kg',201,'/pets/9','{"id":9,"name":"Animal 9 🐾","categoryId":0,"status":"available"}',1795413216645);
INSERT INTO idempotency_keys VALUES('LY37YiNI8hFt','pet-10','wzbtsHwgYZxR1CrHy_q6Lp7EZg1x1Z8aEvNqOAuNb2o',201,'/pets/10','{"id":10,"name":"Animal 10 🐾","categoryId":1,"status":"pending"}',1795413216650);
INSERT INTO idempotency_keys VALUES('LY37YiNI8hFt','pet-11','LfGfbShaYXnPBe_nJJxDanicUS8m8nr4kgQP1T5nWkk',201,'/pets/11','{"id":11,"name":"Animal 11 🐾","categoryId":2,"status":"sold"}',1795413216658);
INSERT INTO idempotency_keys VALUES('LY37YiNI8hFt','pet-12','AwzKIMmbbWUer4PbMefleQRNWijbjMZhh5511Gtg7M8',201,'/pets/12','{"id":12,"name":"Animal 12 🐾","categoryId":0,"status":"available"}',1795413216662);
CREATE TABLE categories (
      id integer not null primary key,
      name text not null
    ) strict;
CREATE TABLE orders (
      id integer not null primary key,
      pet_id integer not null,
      status text not null check (status in ('placed', 'approved', 'delivered', 'cancelled')),
      created_at integer not null
    ) strict;
CREATE TABLE webhooks (
      id text not null primary key,
      label text not null,
      url text not null,
      events text not null,
      secret text not null,
      previous_secret text,
      previous_until integer,
      created_at integer not null,
      failing_since integer,
      disabled_at integer,
      disabled_reason text,
      removed_at integer
    ) strict;
CREATE TABLE webhook_events (
      id integer not null primary key,
      message_id text not null unique,
      type text not null,
      pet_id integer not null,
      created_at integer not null,
      payload text not null
    ) strict;
CREATE TABLE webhook_deliveries (
      event_id integer not null,
      webhook_id text not null,
      pet_id integer not null,
      due_at integer,
      claim text,
      attempts integer not null,
      tries integer not null,
      resent integer not null,
      finished_at integer,
      outcome text check (outcome in ('delivered', 'failed')),
      primary key (event_id, webhook_id)
    ) strict;
CREATE TABLE webhook_attempts (
      webhook_id text not null,
      event_id integer not null,
      attempt integer not null,
      at integer not null,
      duration_ms integer not null,
      status integer,
      error text,
      next_at integer,
      primary key (webhook_id, event_id, attempt)
    ) strict;
CREATE INDEX pets_by_status on pets (status, id, name, category_id);
CREATE INDEX idempotency_keys_by_age on idempotency_keys (created_at);
CREATE INDEX orders_by_status on orders (status, id);
CREATE INDEX orders_by_pet on orders (pet_id, id);
CREATE UNIQUE INDEX one_open_order_for_each_pet on orders (pet_id)
      where status in ('placed', 'approved');
CREATE INDEX webhook_deliveries_due on webhook_deliveries (webhook_id, due_at, event_id)
      where due_at is not null;
CREATE INDEX webhook_deliveries_open on webhook_deliveries (webhook_id, pet_id, event_id)
      where finished_at is null;
CREATE INDEX webhook_deliveries_oldest on webhook_deliveries (webhook_id, event_id)
      where finished_at is null;
CREATE INDEX webhook_deliveries_finished on webhook_deliveries (webhook_id, finished_at)
      where finished_at is not null;
COMMIT;
