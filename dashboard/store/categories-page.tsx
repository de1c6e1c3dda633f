import type { Answer } from '../../client/management-client.ts'
import { AddButton, RowMenu } from '../components/actions.tsx'
import { Form, TextField, useForm } from '../components/form.tsx'
import { useFilters } from '../components/inputs.tsx'
import { Empty, Page } from '../components/page.tsx'
import { PagedRecords } from '../components/records.tsx'
import { PageLink } from '../components/values.tsx'
import { useChange, useEnvironment, useGet } from '../platform/requests.ts'
import { pageOptions } from './store-queries.ts'

type Category = Answer<'POST /store/{environment}/categories'>

export function Component() {
  const environment = useEnvironment()
  const filters = useFilters([])
  const categories = useGet('GET /store/{environment}/categories', {
    query: filters.query({ limit: 20 }),
    ...pageOptions,
  })
  const add = <AddButton title="Add category" content={<CategoryForm />} />
  return (
    <Page
      title="Categories"
      lead="Group animals by category. An animal may also have a category ID without a name."
      actions={categories.data && categories.data.items.length > 0 && add}
    >
      <PagedRecords
        query={categories}
        filters={filters}
        caption="Categories"
        unit={['category', 'categories']}
        empty={
          <Empty title="No categories yet" action={add}>
            Group animals by category, such as Dogs.
          </Empty>
        }
        columns={[
          { title: 'ID', isNumber: true, isMinor: true, cell: ({ id }) => id },
          { title: 'Name', isHead: true, cell: ({ name }) => name },
          {
            title: 'Animals',
            cell: ({ id, name }) => (
              <PageLink
                to={`/store/${environment}/animals?categoryId=${id}`}
                aria-label={`Show the animals of ${name}`}
              >
                Show
              </PageLink>
            ),
          },
        ]}
        actions={(category) => <Actions category={category} />}
      />
    </Page>
  )
}

function Actions({ category }: { category: Category }) {
  const { id, name } = category
  const remove = useChange('DELETE /store/{environment}/categories/{categoryId}')
  return (
    <RowMenu
      label={`More for ${name}`}
      actions={[
        { item: 'Rename', title: `Rename ${name}`, content: <CategoryForm category={category} /> },
        {
          title: `Delete ${name}?`,
          text: `Its animals are kept, with the category ID ${id}.`,
          verb: 'Delete',
          act: () => remove.mutateAsync({ params: { categoryId: String(id) } }),
        },
      ]}
    />
  )
}

/** Adds a category, or renames one. */
function CategoryForm({ category }: { category?: Category }) {
  const add = useChange('POST /store/{environment}/categories')
  const rename = useChange('PATCH /store/{environment}/categories/{categoryId}')
  const { field, form } = useForm({
    initial: { name: category?.name ?? '' },
    send: (body) =>
      category
        ? rename.mutateAsync({ params: { categoryId: String(category.id) }, body })
        : add.mutateAsync({ body }),
    done: ({ id, name }) =>
      category ? `${category.name} is now called ${name}.` : `${name} is added with ID ${id}.`,
  })
  return (
    <Form verb={category ? 'Rename' : 'Add category'} {...form}>
      <TextField {...field('name', 'Name')} />
    </Form>
  )
}
