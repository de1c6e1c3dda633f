// What narrows the list of animals: status, category, ids.
import { NativeSelect, TextInput } from '@mantine/core'
import { type FormEvent, useEffect, useState } from 'react'
import type { Filters } from '../platform/use-filters.ts'
import type { EnvironmentName } from '../shell/navigation.tsx'
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
  // The back button changes the address, too.
  useEffect(() => setCategory(category), [category])
  useEffect(() => setIds(ids), [ids])

  function submit(event: FormEvent): void {
    event.preventDefault()
    apply(typedCategory)
  }

  function apply(wantedCategory: string): void {
    const wanted = { categoryId: wantedCategory.trim(), id: typedIds.replaceAll(/\s/g, '') }
    if (wanted.categoryId !== category || wanted.id !== ids) filters.set(wanted)
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
        <TextInput
          label="IDs"
          placeholder="12, 15"
          inputMode="numeric"
          value={typedIds}
          onChange={(event) => setIds(event.currentTarget.value)}
          onBlur={() => apply(typedCategory)}
          data-shortcut="search"
        />
        <button type="submit" hidden />
      </form>
    </search>
  )
}
