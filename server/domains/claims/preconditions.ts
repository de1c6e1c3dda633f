// The preconditions for adding a domain: a paid plan and a successful deploy (specification, custom domain
// procedure, step 1). Access to the registrar's DNS settings cannot be checked.
import type { Session } from '#kit/database/database.ts'
import type { FoundProject } from '#publishing/projects/find-project.ts'
import { planOf } from '#publishing/projects/plan-limits.ts'

interface MissingPrecondition {
  code: 'plan_required' | 'deploy_required'
  /** What is missing, and what to do about it. */
  message: string
}

/** The unmet preconditions, in the order to fix them; empty when a domain can be added. */
export async function findMissingPreconditions(
  session: Session,
  project: FoundProject,
): Promise<MissingPrecondition[]> {
  const missing: MissingPrecondition[] = []
  if ((await planOf(session, project)) !== 'paid') {
    const message =
      'Custom domains need the paid plan. Ask an operator of this server to set it for you.'
    missing.push({ code: 'plan_required', message })
  }
  if (project.liveDeploy === null) {
    const message = `Nothing is published of this project yet. Deploy it first: animal-store deploy FOLDER --project ${project.slug}`
    missing.push({ code: 'deploy_required', message })
  }
  return missing
}
