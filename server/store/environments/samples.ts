// The animals that staging starts with, and that `staging reset` brings back: ids 1 to 50, always the same.
import type { PlainPet } from '../animals/create-pets.ts'
import type { PetStatus } from '../animals/schema.ts'

const names = [
  'Rex',
  'Bella',
  'Milo',
  'Luna',
  'Charlie',
  'Nala',
  'Oscar',
  'Kiwi',
  'Shadow',
  'Daisy',
  'Simba',
  'Coco',
  'Rocky',
  'Hazel',
  'Ziggy',
  'Pepper',
  'Finn',
  'Olive',
  'Bruno',
  'Willow',
  'Gizmo',
  'Maple',
  'Otto',
  'Pearl',
  'Taco',
  'Ivy',
  'Bandit',
  'Honey',
  'Loki',
  'Poppy',
  'Felix',
  'Ruby',
  'Hugo',
  'Ginger',
  'Storm',
  'Clover',
  'Moose',
  'Saffron',
  'Archie',
  'Juniper',
  'Sókrates',
  'Žofka',
  'Ñandú',
  'Büsi',
  '小白',
  'もも',
  'Мурка',
  'Ψίψι',
  'Zoë',
  '🐢 Flash',
]
const statuses: PetStatus[] = ['available', 'available', 'pending', 'available', 'sold']

/** Categories 1 to 7. */
export const sampleCategories = ['Dogs', 'Cats', 'Birds', 'Rabbits', 'Fish', 'Reptiles', 'Horses']

export const samplePets: PlainPet[] = names.map((name, i) => ({
  name,
  categoryId: (i % 7) + 1,
  status: statuses[i % statuses.length] as PetStatus,
}))
