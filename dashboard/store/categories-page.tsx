// Categories: names for the numbers that animals carry.
import { Anchor, Button, Menu, TextInput } from '@mantine/core'
import { useCallback, useState } from 'react'
import { Link } from 'react-router'
import { useAnnounce } from '../components/announcements.tsx'
import { Confirm } from '../components/confirm.tsx'
import { Dialog, DialogForm } from '../components/dialog.tsx'
import { problemsOf } from '../components/form-problems.ts'
import { PlusIcon } from '../components/icons.tsx'
import { Page } from '../components/page.tsx'
import { Pager } from '../components/pager.tsx'
import { Records } from '../components/records.tsx'
import { RowMenu } from '../components/row-menu.tsx'
import { Empty, Loaded, Loading } from '../components/states.tsx'
import { counted } from '../platform/numbers.ts'
import { useFilters } from '../platform/use-filters.ts'
import { type EnvironmentName, useEnvironment } from '../shell/navigation.tsx'
import {
  type Category,
  useAddCategory,
  useCategories,
  useDeleteCategory,
  useRenameCategory,
} from './category-queries.ts'

export function Component() {
  const environment = useEnvironment()
  return <Categories key={environment} environment={environment} />
}

function Categories({ environment }: { environment: EnvironmentName }) {
  const { query, set } = useFilters([])
  const categories = useCategories(environment, query({ limit: '20' }))
  const [isAdding, setAdding] = useState(false)
  const [renamed, setRenamed] = useState<Category>()
  const [doomed, setDoomed] = useState<Category>()
  const remove = useDeleteCategory(environment)
  const go = useCallback((cursor: string) => set({ cursor }), [set])
  const add = (
    <Button leftSection={<PlusIcon />} onClick={() => setAdding(true)} data-shortcut="new">
      Add category
    </Button>
  )
  return (
    <Page
      title="Categories"
      lead="Names for the numbers that animals carry. A number needs none."
      actions={categories.data && categories.data.items.length > 0 && add}
    >
      <Loaded query={categories} loading={<Loading rows={6} />}>
        {({ items, next, prev, total }) =>
          items.length === 0 ? (
            <Empty title="No categories yet" action={add}>
              Give the numbers that your animals carry a name, such as Dogs.
            </Empty>
          ) : (
            <>
              <Records
                caption="Categories"
                rows={items}
                keyOf={({ id }) => id}
                isStale={categories.isPlaceholderData}
                columns={[
                  { title: 'ID', isNumber: true, cell: ({ id }) => id },
                  { title: 'Name', isHead: true, cell: ({ name }) => name },
                  {
                    title: 'Animals',
                    cell: ({ id, name }) => (
                      <Anchor
                        component={Link}
                        to={`/store/${environment}/animals?categoryId=${id}`}
                        size="sm"
                        aria-label={`Show the animals of ${name}`}
                      >
                        Show
                      </Anchor>
                    ),
                  },
                  {
                    title: 'Actions',
                    isActions: true,
                    cell: (category) => (
                      <RowMenu of={category.name}>
                        <Menu.Item onClick={() => setRenamed(category)}>Rename</Menu.Item>
                        <Menu.Item color="red" onClick={() => setDoomed(category)}>
                          Delete
                        </Menu.Item>
                      </RowMenu>
                    ),
                  },
                ]}
              />
              <Pager
                prev={prev}
                next={next}
                go={go}
                summary={counted(total ?? items.length, 'category', 'categories')}
              />
            </>
          )
        }
      </Loaded>
      <Dialog opened={isAdding} close={() => setAdding(false)} title="Add category">
        <CategoryForm environment={environment} close={() => setAdding(false)} />
      </Dialog>
      <Dialog
        opened={renamed !== undefined}
        close={() => setRenamed(undefined)}
        title={`Rename ${renamed?.name ?? ''}`}
      >
        {renamed && (
          <CategoryForm
            environment={environment}
            close={() => setRenamed(undefined)}
            category={renamed}
          />
        )}
      </Dialog>
      <Confirm
        opened={doomed !== undefined}
        close={() => setDoomed(undefined)}
        title={`Delete ${doomed?.name ?? ''}?`}
        verb="Delete"
        act={async () => doomed && (await remove.mutateAsync(doomed.id))}
      >
        Its animals stay as they are: they keep the number {doomed?.id}.
      </Confirm>
    </Page>
  )
}

interface CategoryFormProps {
  environment: EnvironmentName
  close: () => void
  /** To rename; without it one is added. */
  category?: Category
}

function CategoryForm({ category, close, environment }: CategoryFormProps) {
  const [name, setName] = useState(category?.name ?? '')
  const add = useAddCategory(environment)
  const rename = useRenameCategory(environment)
  const announce = useAnnounce()
  const problems = problemsOf(add.error ?? rename.error, ['name'])

  function submit(): void {
    const onSuccess = (saved: Category): void => {
      announce({
        text: category
          ? `${category.name} is called ${saved.name} now.`
          : `${saved.name} is added with ID ${saved.id}.`,
      })
      close()
    }
    if (category) rename.mutate({ id: category.id, name }, { onSuccess })
    else add.mutate(name, { onSuccess })
  }

  return (
    <DialogForm
      close={close}
      verb={category ? 'Rename' : 'Add category'}
      submit={submit}
      isPending={add.isPending || rename.isPending}
      problem={problems.other}
    >
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={problems.at('name')}
        autoComplete="off"
        data-autofocus
      />
    </DialogForm>
  )
}
