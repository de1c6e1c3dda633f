// Categories: they group animals, and have a name.
import { Anchor, Button, Menu } from '@mantine/core'
import { useCallback, useState } from 'react'
import { Link } from 'react-router'
import { useAnnounce } from '../components/announcements.tsx'
import { Confirm, Dialog } from '../components/dialog.tsx'
import { TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { PlusIcon } from '../components/icons.tsx'
import { Page } from '../components/page.tsx'
import { Pager } from '../components/pager.tsx'
import { Records } from '../components/records.tsx'
import { RowMenu } from '../components/row-menu.tsx'
import { Empty, Loaded, Loading } from '../components/states.tsx'
import { useForm } from '../components/use-form.ts'
import { type EnvironmentName, useEnvironment } from '../platform/environment.ts'
import { counted } from '../platform/numbers.ts'
import { useFilters } from '../platform/use-filters.ts'
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
  const categories = useCategories(environment, query({ limit: 20 }))
  const [isAdding, setAdding] = useState(false)
  const [renamed, setRenamed] = useState<Category>()
  const [deleted, setDeleted] = useState<Category>()
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
      lead="Group animals by category. An animal may also have a category ID without a name."
      actions={categories.data && categories.data.items.length > 0 && add}
    >
      <Loaded query={categories} loading={<Loading rows={6} />}>
        {({ items, next, prev, total }) =>
          items.length === 0 ? (
            <Empty title="No categories yet" action={add}>
              Group animals by category, such as Dogs.
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
                        <Menu.Item color="red" onClick={() => setDeleted(category)}>
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
        opened={deleted !== undefined}
        close={() => setDeleted(undefined)}
        title={`Delete ${deleted?.name ?? ''}?`}
        verb="Delete"
        act={async () => deleted && (await remove.mutateAsync(deleted.id))}
      >
        Its animals are kept, with the category ID {deleted?.id}.
      </Confirm>
    </Page>
  )
}

interface CategoryFormProps {
  environment: EnvironmentName
  close: () => void
  /** The category to rename; without it, one is added. */
  category?: Category
}

function CategoryForm({ category, close, environment }: CategoryFormProps) {
  const add = useAddCategory(environment)
  const rename = useRenameCategory(environment)
  const announce = useAnnounce()
  const { field, form } = useForm({
    initial: { name: category?.name ?? '' },
    async send({ name }) {
      if (category) {
        const { name: saved } = await rename.mutateAsync({ id: category.id, name })
        announce({ text: `${category.name} is now called ${saved}.` })
      } else {
        const added = await add.mutateAsync(name)
        announce({ text: `${added.name} is added with ID ${added.id}.` })
      }
      close()
    },
  })
  return (
    <Form close={close} verb={category ? 'Rename' : 'Add category'} {...form}>
      <TextField {...field('name')} label="Name" data-autofocus />
    </Form>
  )
}
