// The background job of the object storage in a process of its own, to be killed. Usage: move-in-process.ts NOW, with the
// program's environment. It ends when it has moved and deleted everything.
import { readConfig } from '#kit/config/config.ts'
import { openDatabase } from '#kit/database/engines/open.ts'
import { createLog } from '#kit/log.ts'
import { startMovingFiles } from '#optional/object-storage/open.ts'
import { openBucket } from '#publishing/objects/bucket.ts'

const config = readConfig(process.env)
const database = openDatabase(config, 'publishing', { onError: () => {} })
const settings = config.objectStorage
if (!settings || settings.move === 'off') throw new Error('no settings')
const bucket = openBucket(settings)
const job = startMovingFiles({
  ...{ bucket, move: settings.move, takeOver: undefined, database },
  clock: () => Number(process.argv[2]),
  log: createLog('warn', false),
})
await job.runNow()
await job.stop()
bucket.close()
await database.close()
