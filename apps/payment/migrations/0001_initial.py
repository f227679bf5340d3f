import core.keys
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Invoice',
            fields=[
                ('uuid', models.UUIDField(default=core.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('updated', models.DateTimeField(auto_now=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('month', models.DateField()),
                ('currency', models.CharField(max_length=3)),
                ('status', models.CharField(choices=[('unpaid', 'Unpaid'), ('overdue', 'Overdue'), ('paid', 'Paid')], default='unpaid', max_length=16)),
                ('issued', models.DateTimeField(blank=True, null=True)),
                ('due', models.DateTimeField()),
                ('payment_uuid', models.UUIDField(blank=True, null=True)),
            ],
            options={
                'indexes': [models.Index(fields=['owner', 'uuid'], name='invoice_owner'), models.Index(condition=models.Q(('issued', None)), fields=['month'], name='invoice_open'), models.Index(condition=models.Q(('status', 'unpaid')), fields=['due'], name='invoice_due')],
                'constraints': [models.UniqueConstraint(fields=('owner', 'month', 'currency'), name='one_a_month')],
            },
        ),
        migrations.CreateModel(
            name='InvoiceEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('invoice', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='events', to='payment.invoice')),
                ('action', models.CharField(choices=[('issued', 'Issued'), ('overdue', 'Overdue'), ('payment-failed', 'Payment Failed'), ('paid', 'Paid'), ('paid-again', 'Paid Again')], max_length=16)),
                ('cost', models.DecimalField(decimal_places=4, max_digits=16)),
                ('actor', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('note', models.CharField(blank=True, max_length=500)),
                ('created', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name='Charge',
            fields=[
                ('uuid', models.UUIDField(default=core.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('updated', models.DateTimeField(auto_now=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('namespace', models.CharField(max_length=64)),
                ('action', models.CharField(max_length=64)),
                ('type', models.CharField(max_length=32)),
                ('source', models.CharField(db_index=True, max_length=500)),
                ('amount', models.DecimalField(decimal_places=4, max_digits=16)),
                ('currency', models.CharField(max_length=3)),
                ('cost_centre', models.CharField(blank=True, max_length=64)),
                ('status', models.CharField(choices=[('authorised', 'Authorised'), ('recorded', 'Recorded'), ('released', 'Released')], default='authorised', max_length=16)),
                ('invoice', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='charges', to='payment.invoice')),
                ('corrects', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='corrections', to='payment.charge')),
            ],
            options={
                'indexes': [models.Index(fields=['owner', 'uuid'], name='charge_owner')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('corrects', None), models.Q(('status', 'released'), _negated=True)), fields=('source', 'namespace', 'action'), name='charged_once'), models.CheckConstraint(condition=models.Q(('status', 'recorded'), ('invoice', None), _connector='XOR'), name='recorded_on_an_invoice')],
            },
        ),
        migrations.CreateModel(
            name='Consent',
            fields=[
                ('uuid', models.UUIDField(default=core.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('updated', models.DateTimeField(auto_now=True)),
                ('deleted', models.DateTimeField(blank=True, null=True)),
                ('namespace', models.CharField(max_length=64)),
                ('action', models.CharField(max_length=64)),
                ('consented', models.BooleanField()),
                ('per_charge', models.DecimalField(blank=True, decimal_places=4, max_digits=16, null=True)),
                ('per_month', models.DecimalField(blank=True, decimal_places=4, max_digits=16, null=True)),
                ('currency', models.CharField(blank=True, max_length=3)),
                ('cost_centre', models.CharField(blank=True, max_length=64)),
            ],
            options={
                'indexes': [models.Index(fields=['owner', 'namespace', 'action', 'uuid'], name='consent_of')],
            },
        ),
        migrations.CreateModel(
            name='PaymentMethod',
            fields=[
                ('uuid', models.UUIDField(default=core.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('updated', models.DateTimeField(auto_now=True)),
                ('deleted', models.DateTimeField(blank=True, null=True)),
                ('type', models.CharField(choices=[('manual', 'manual (paid outside the platform)'), ('stripe', 'stripe')], max_length=16)),
                ('status', models.CharField(choices=[('pending', 'Pending'), ('active', 'Active'), ('error', 'Error')], default='pending', max_length=16)),
                ('errors', models.JSONField(blank=True, null=True)),
                ('customer', models.CharField(blank=True, max_length=255)),
                ('reference', models.CharField(blank=True, max_length=255)),
                ('setup_url', models.CharField(blank=True, max_length=2048)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('deleted', None)), fields=('owner', 'type'), name='one_method_of_a_type')],
            },
        ),
        migrations.CreateModel(
            name='Payment',
            fields=[
                ('created', models.DateTimeField(auto_now_add=True)),
                ('updated', models.DateTimeField(auto_now=True)),
                ('uuid', models.UUIDField(default=core.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('invoice', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='payments', to='payment.invoice')),
                ('type', models.CharField(choices=[('manual', 'manual (paid outside the platform)'), ('stripe', 'stripe')], max_length=16)),
                ('status', models.CharField(choices=[('started', 'Started'), ('succeeded', 'Succeeded'), ('failed', 'Failed')], default='started', max_length=16)),
                ('reference', models.CharField(blank=True, db_index=True, max_length=255)),
                ('error', models.CharField(blank=True, max_length=500)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('status', 'started')), fields=('invoice',), name='one_attempt_at_a_time'), models.UniqueConstraint(condition=models.Q(('status', 'succeeded')), fields=('invoice',), name='paid_once')],
            },
        ),
        migrations.CreateModel(
            name='Price',
            fields=[
                ('uuid', models.UUIDField(default=core.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('namespace', models.CharField(max_length=64)),
                ('action', models.CharField(max_length=64)),
                ('service', models.CharField(blank=True, max_length=500)),
                ('amount', models.DecimalField(decimal_places=4, max_digits=16)),
                ('currency', models.CharField(max_length=3)),
                ('type', models.CharField(default='per-use', max_length=32)),
                ('updated', models.DateTimeField(auto_now=True)),
                ('deleted', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('deleted', None)), fields=('namespace', 'action', 'service'), name='one_price_an_action'), models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='price_is_positive')],
            },
        ),
        migrations.CreateModel(
            name='PaymentStatus',
            fields=[
                ('uuid', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('price', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='payment.price')),
            ],
            options={
                'verbose_name_plural': 'payment statuses',
                'constraints': [models.UniqueConstraint(fields=('owner', 'price'), name='one_status_an_action')],
            },
        ),
    ]
