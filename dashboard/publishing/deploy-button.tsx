// The button that opens the form to deploy, also with the key n.
import { Button } from '@mantine/core'
import { useDialog } from '../components/dialog.tsx'
import { UploadIcon } from '../components/icons.tsx'
import { DeployForm } from './deploy-form.tsx'
import { isEditable, type Project } from './project-queries.ts'

/** Not for viewers. */
export function DeployButton({ project }: { project: Project }) {
  const { slug } = project
  const open = useDialog()
  if (!isEditable(project)) return null
  return (
    <Button
      leftSection={<UploadIcon />}
      data-shortcut="new"
      onClick={() =>
        open({
          title: 'Deploy',
          size: 'lg',
          content: (close) => <DeployForm slug={slug} hasPreviews onDeployed={close} />,
        })
      }
    >
      Deploy
    </Button>
  )
}
