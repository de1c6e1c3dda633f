-- wrk script for the mix of writes: create an animal, patch it, order it, then deliver the order (odd
-- identifiers) or cancel it (even identifiers). Each step is sent after the response to the step before, and is
-- a quarter of all requests. Prints the result as one line of JSON.
-- Arguments: FILE with the bodies of new animals; the line of it to start with; `follow` or `fixed`.
-- `follow` takes the identifiers from the responses. `fixed` is for a server that returns none: it sends the same
-- steps with made-up identifiers, all formatted before the clock starts, and does not read the responses.

local threads = {}
local bodies, at, queue, first, last = {}, 0, {}, 1, 0
created, patched, placed, moved, unexpected = 0, 0, 0, 0, 0

function setup(thread) threads[#threads + 1] = thread end

local function format(method, path, type, body)
  local headers = { ['Content-Type'] = type }
  for name, value in pairs(wrk.headers) do headers[name] = value end
  return wrk.format(method, path, headers, body)
end

local function create()
  at = at % #bodies + 1
  return format('POST', '/v1/pets', 'application/json', bodies[at])
end

local function patch(pet)
  local body = '{"name":"Patched ' .. pet .. '","categoryId":51}'
  return format('PATCH', '/v1/pets/' .. pet, 'application/merge-patch+json', body)
end

local function place(pet)
  return format('POST', '/v1/store/orders', 'application/json', '{"petId":' .. pet .. '}')
end

local function move(order, pet)
  local verb = tonumber(pet) % 2 == 1 and 'deliver' or 'cancel'
  return format('POST', '/v1/store/orders/' .. order .. '/' .. verb)
end

local function follow(status, headers, body)
  local id, ordered = body:match('"id":(%d+)'), body:match('"petId":(%d+)')
  local step
  if status >= 400 or not id then
    unexpected = unexpected + (status < 400 and 1 or 0)
  elseif ordered and status == 201 then
    placed, step = placed + 1, move(id, ordered)
  elseif ordered then
    moved = moved + 1
  elseif status == 201 then
    created, step = created + 1, patch(id)
  else
    patched, step = patched + 1, place(id)
  end
  if step then last = last + 1; queue[last] = step end
end

local function next_step()
  if first > last then return create() end
  local step = queue[first]
  queue[first] = nil
  first = first + 1
  return step
end

local function fixed_steps()
  local steps = {}
  for n = 1, #bodies do
    local pet = tostring(100000 + n)
    for _, step in ipairs({ create(), patch(pet), place(pet), move(pet, pet) }) do
      steps[#steps + 1] = step
    end
  end
  return steps
end

function init(args)
  for line in io.lines(args[1]) do bodies[#bodies + 1] = line end
  at = tonumber(args[2]) % #bodies
  if args[3] == 'follow' then
    request, response = next_step, follow
    return
  end
  local steps, sent = fixed_steps(), 0
  request = function()
    sent = sent % #steps + 1
    return steps[sent]
  end
end

function done(summary, latency, requests)
  local errors, counts = summary.errors, {}
  for _, name in ipairs({ 'created', 'patched', 'placed', 'moved', 'unexpected' }) do
    counts[name] = 0
    for _, thread in ipairs(threads) do counts[name] = counts[name] + thread:get(name) end
  end
  io.write(string.format(
    'RESULT {"requests":%d,"microseconds":%d,"p50Us":%d,"p99Us":%d,"refused":%d,' ..
    '"broken":%d,"late":%d,"steps":{"created":%d,"patched":%d,"placed":%d,"moved":%d}}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.status + counts.unexpected, errors.connect + errors.read + errors.write, errors.timeout,
    counts.created, counts.patched, counts.placed, counts.moved))
end
