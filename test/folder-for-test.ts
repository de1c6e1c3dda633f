// A new, empty folder, deleted when the test has finished.
import { rm } from 'node:fs/promises'
import { onTestFinished } from 'vitest'
import { createDataFolder } from './data-folder.ts'

export async function folderForTest(): Promise<string> {
  const folder = await createDataFolder('animal-store-test-')
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
