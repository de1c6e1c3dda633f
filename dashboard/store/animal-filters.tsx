// The filters of the list of animals: status, category, IDs.
import { NativeSelect } from '@mantine/core'
import { type FormEvent, useEffect, useState } from 'react'
import { TextField } from '../components/fields.tsx'
import type { EnvironmentName } from '../platform/environment.ts'
import type { Filters } from '../platform/use-filters.ts'
import classes from './animal-filters.module.css'
import { statuses } from './animal-queries.ts'
import { CategoryField } from './category-field.tsx'

export const animalFilters = ['status', 'categoryId', 'id'] as const

export function AnimalFilters({
  environment,
  filters,
}: {
  environment: EnvironmentName
  filters: Filters
}) {
  const category = filters.get('categoryId')
  const ids = filters.get('id')
  const [typedCategory, setCategory] = useState(category)
  const [typedIds, setIds] = useState(ids)
  // The back button also changes the filters.
  useEffect(() => setCategory(category), [category])
  useEffect(() => setIds(ids), [ids])

  function submit(event: FormEvent): void {
    event.preventDefault()
    apply(typedCategory)
  }

  function apply(categoryText: string): void {
    const chosen = { categoryId: categoryText.trim(), id: typedIds.replaceAll(/\s/g, '') }
    if (chosen.categoryId !== category || chosen.id !== ids) filters.set(chosen)
  }

  return (
    <search>
      <form onSubmit={submit} className={classes.filters}>
        <NativeSelect
          label="Status"
          value={filters.get('status')}
          onChange={(event) => filters.set({ status: event.currentTarget.value })}
          data={[
            { value: '', label: 'All' },
            ...statuses.map((status) => ({ value: status, label: status })),
          ]}
        />
        <CategoryField
          environment={environment}
          label="Category"
          placeholder="All"
          value={typedCategory}
          onChange={setCategory}
          onChoose={apply}
          onBlur={() => apply(typedCategory)}
        />
        <TextField
          label="IDs"
          placeholder="12, 15"
          inputMode="numeric"
          value={typedIds}
          onChange={setIds}
          onBlur={() => apply(typedCategory)}
          data-shortcut="search"
        />
        <button type="submit" hidden />
      </form>
    </search>
  )
}
