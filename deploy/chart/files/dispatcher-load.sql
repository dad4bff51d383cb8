select (select count(*) from webhook_subscriptions where removed_at is null and leased_until > now())
  + (select count(distinct subscription)
    from (select subscription from webhook_retries where due_at < now() - interval '1 minute' limit 10000) as overdue)
