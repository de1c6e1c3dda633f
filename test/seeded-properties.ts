// Runs before each test file: properties start from the run's seed.
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env.TEST_SEED) })
