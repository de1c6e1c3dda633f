// The PostgreSQL database of the two hand-written stores: the driver's pool and its prepared statements. For reads only.

import pg from 'pg'
import type { Pet, PetStatus, PetsReader } from './pets-database.ts'

const schema = `
  CREATE TABLE IF NOT EXISTS pets (
    id BIGINT PRIMARY KEY,
    name TEXT NOT NULL,
    category_id BIGINT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold'))
  );
  CREATE INDEX IF NOT EXISTS pets_by_status ON pets (status, id);
  CREATE TABLE IF NOT EXISTS keys (hash BYTEA PRIMARY KEY, label TEXT NOT NULL);
`

const columns = 'id, name, category_id AS "categoryId", status'
const int8 = 20

export async function openPetsOnPostgres(url: string) {
  const pool = new pg.Pool({
    connectionString: url,
    types: {
      getTypeParser: (oid: number, format?: string) =>
        oid === int8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
    } as pg.CustomTypesConfig,
  })
  await pool.query(schema)
  const read = async <Row extends pg.QueryResultRow>(
    name: string,
    text: string,
    values: unknown[],
  ) => (await pool.query<Row>({ name, text, values })).rows

  const list = `SELECT ${columns} FROM pets WHERE id > $1 ORDER BY id LIMIT $2`
  const listByStatus = `SELECT ${columns} FROM pets WHERE status = $3 AND id > $1 ORDER BY id LIMIT $2`
  const reader: PetsReader = {
    listPets: (after: number, limit: number, status?: PetStatus) =>
      status === undefined
        ? read<Pet>('list', list, [after, limit])
        : read<Pet>('by status', listByStatus, [after, limit, status]),
    findPet: async (id) =>
      (await read<Pet>('find', `SELECT ${columns} FROM pets WHERE id = $1`, [id]))[0],
    hasKey: async (hash) =>
      (await read('key', 'SELECT label FROM keys WHERE hash = $1', [hash])).length > 0,
  }
  return {
    ...reader,
    async insertKey(hash: Buffer, label: string): Promise<void> {
      await pool.query('INSERT INTO keys (hash, label) VALUES ($1, $2)', [hash, label])
    },
    close: () => pool.end(),
  }
}
