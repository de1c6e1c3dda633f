// The paths of a deployed folder, as a client says them: canonical, and no two of them meet.
import { AppError, type Problem } from '../../platform/errors.ts'
import { canonicalPath } from '../site-files/canonical-path.ts'
import { createPathSet } from '../site-files/path-set.ts'
import type { SourceFile } from './create-deploy.ts'

const maxProblems = 100

/** Gives the files with canonical paths. Throws `invalid_body` with all problems. */
export function checkPaths(files: SourceFile[]): SourceFile[] {
  const paths = createPathSet()
  const problems: Problem[] = []
  const checked = files.map(({ hash, path: name }, i) => {
    const found = canonicalPath(name)
    const refused = 'refused' in found ? found.refused : paths.add(found.path, 'file')
    if (refused !== undefined && problems.length < maxProblems) {
      problems.push({ path: `files[${i}].path`, message: refused })
    }
    return { path: 'path' in found ? found.path : name, hash }
  })
  if (problems.length === 0) return checked
  const message = problems.map((problem) => problem.message).join(' ')
  throw new AppError('invalid_body', message.slice(0, 2000), { details: problems })
}
